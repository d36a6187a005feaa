import { before, test } from 'node:test'
import { assertIndexed, assertNoticed, type ListCase } from '../../../test/support/list-plans.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import {
  type ContactIds,
  everybodyPageStatement,
  searched,
  searchForStatement,
  taggedPageStatement,
  withFields,
  withTag,
} from './list-queries.ts'
import { matchingPageStatement } from './matching-page-queries.ts'

/*
 * Every list finds its rows by an index, begun with the workspace. With 20,000 contacts reading a whole table would be
 * cheap enough to be chosen where an index is missing: the last test takes each index away to see that it is noticed.
 */

const { pool, workspaceId } = await testWorkspace()
const CONTACTS = 20_000
const TAGS = 4_000
/** Rows of a statement, which the pool's time limit holds on a busy machine too. */
const FILL_ROWS = 1_000
const PAGE = { page: 3, pageSize: 25, sort: 'id' } as const

before(async () => {
  const fill = (text: string, ...values: unknown[]) =>
    queryInScope(pool, workspaceId, { text, values: [workspaceId, ...values] })
  for (let first = 1; first <= CONTACTS; first += FILL_ROWS) {
    await fill(
      `insert into contacts (workspace_id, subject_id, email, phone, updated_at)
       select $1, 'user-' || n, md5(n::text) || '@example.com', '+' || n, now() - n * interval '1 minute'
       from generate_series($2::int, $3::int) n`,
      first,
      first + FILL_ROWS - 1,
    )
  }
  await fill(`insert into tags (workspace_id, name) select $1, 'tag ' || n from generate_series(1, ${TAGS}) n`)
  for (let rest = 0; rest < TAGS; rest += FILL_ROWS) {
    await fill(
      `insert into contact_tags (workspace_id, tag_id, contact_id)
       select $1, t.id, c.id from tags t join contacts c on c.id % ${TAGS} = t.id % ${TAGS}
       where t.id % ${TAGS} between $2 and $3`,
      rest,
      rest + FILL_ROWS - 1,
    )
  }
  for (const table of ['contacts', 'contact_search', 'tags', 'contact_tags'])
    await pool.query(`vacuum analyze ${table}`)
})

const fields = (filter: Parameters<typeof withFields>[1]) => withFields(workspaceId, filter)
const matching = (...sets: ContactIds[]) => matchingPageStatement(workspaceId, { sets, byKey: true }, PAGE)
const walkedBy = (sort: '-email' | 'updatedAt') =>
  matchingPageStatement(workspaceId, { sets: [searched(workspaceId)], byKey: true }, { ...PAGE, sort })
const recently = new Date(Date.now() - 600_000).toISOString()
const CASES: readonly ListCase[] = [
  { list: 'everybody', statement: everybodyPageStatement(workspaceId, PAGE), indexes: ['contacts_pkey'] },
  {
    list: 'the newest',
    statement: everybodyPageStatement(workspaceId, { ...PAGE, sort: '-id' }),
    indexes: ['contacts_pkey'],
  },
  {
    list: 'everybody by email',
    statement: everybodyPageStatement(workspaceId, { ...PAGE, sort: '-email' }),
    indexes: ['contacts_email_taken'],
  },
  {
    list: 'everybody by change',
    statement: everybodyPageStatement(workspaceId, { ...PAGE, sort: '-updatedAt' }),
    indexes: ['contacts_by_update'],
  },
  {
    list: 'tag',
    statement: taggedPageStatement(workspaceId, 'tag 7', PAGE),
    indexes: ['contact_tags_pkey', 'tags_name_taken'],
  },
  { list: 'email', statement: matching(fields({ email: 'a@example.com' })), indexes: ['contacts_email_taken'] },
  { list: 'subjectId', statement: matching(fields({ subjectId: 'user-7' })), indexes: ['contacts_subject_id_taken'] },
  { list: 'phone', statement: matching(fields({ phone: '+7' })), indexes: ['contacts_phone_taken'] },
  {
    list: 'updatedSince',
    statement: matching(fields({ updatedSince: recently })),
    indexes: ['contacts_by_update'],
  },
  {
    list: 'search',
    statement: matching(searched(workspaceId)),
    first: searchForStatement('c4ca4238'),
    indexes: ['contact_search_text'],
  },
  {
    list: 'search, in order of emails,',
    statement: walkedBy('-email'),
    first: searchForStatement('example'),
    indexes: ['contact_search_text', 'contacts_email_taken', 'contact_search_pkey'],
  },
  {
    list: 'search, in order of changes,',
    statement: walkedBy('updatedAt'),
    first: searchForStatement('example'),
    indexes: ['contact_search_text', 'contacts_by_update', 'contact_search_pkey'],
  },
  {
    list: 'search and tag',
    statement: matching(searched(workspaceId), withTag(workspaceId, 'tag 7')),
    first: searchForStatement('c4ca4238'),
    indexes: ['contact_tags_pkey', 'contact_search_pkey'],
  },
  {
    list: 'updatedSince and tag',
    statement: matching(fields({ updatedSince: recently }), withTag(workspaceId, 'tag 7')),
    indexes: ['contacts_by_update', 'contact_tags_pkey'],
  },
]

for (const one of CASES) {
  test(`the list by ${one.list} uses its index`, () => assertIndexed(pool, workspaceId, one))
}

test('a plan made once for every page uses the index too', async () => {
  for (const one of CASES.slice(0, 4)) await assertIndexed(pool, workspaceId, { ...one, plannedOnce: true })
})

test('a missing index is noticed', () => assertNoticed(pool, workspaceId, CASES))
