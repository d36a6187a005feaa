import { before, test } from 'node:test'
import { assertIndexed, assertNoticed, type ListCase } from '../../../test/support/list-plans.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { tagsNamedStatement } from './queries.ts'
import { contactTagsPageStatement, tagByIdStatement, tagsPageStatement } from './tag-queries.ts'

const { pool, workspaceId } = await testWorkspace()
const ROWS = 5_000
const PAGE = { page: 3, pageSize: 25 }

before(async () => {
  const fill = (text: string) => queryInScope(pool, workspaceId, { text, values: [workspaceId] })
  await fill(`insert into tags (workspace_id, name) select $1, 'tag ' || n from generate_series(1, ${ROWS}) n`)
  await fill(`insert into contacts (workspace_id, subject_id) select $1, n::text from generate_series(1, ${ROWS}) n`)
  await fill(`insert into contact_tags (workspace_id, tag_id, contact_id)
    select $1, t.id, c.id from tags t join contacts c on c.subject_id = (t.id % 1000)::text`)
  for (const table of ['tags', 'contacts', 'contact_tags']) await pool.query(`vacuum analyze ${table}`)
})

const CASES: readonly ListCase[] = [
  { list: 'tags', statement: tagsPageStatement(workspaceId, PAGE), indexes: ['tags_by_name'] },
  {
    list: 'tags of a contact',
    statement: contactTagsPageStatement(workspaceId, '7', PAGE),
    indexes: ['contact_tags_by_contact', 'tags_pkey', 'contacts_pkey'],
  },
  {
    list: 'tags of some names',
    statement: { ...tagsNamedStatement(workspaceId, []), values: [workspaceId, '{tag 7,Tag 8}'] },
    indexes: ['tags_name_taken'],
  },
  { list: 'a tag', statement: tagByIdStatement(workspaceId, '7'), indexes: ['tags_pkey'] },
]

for (const one of CASES) {
  test(`the list of ${one.list} uses its index, planned for each page or once for all`, async () => {
    await assertIndexed(pool, workspaceId, one)
    await assertIndexed(pool, workspaceId, { ...one, plannedOnce: true })
  })
}

test('a missing index is noticed', () => assertNoticed(pool, workspaceId, CASES))
