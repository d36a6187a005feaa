import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { type ContactIds, type ListedRow, searched, searchForStatement, withFields, withTag } from './list-queries.ts'
import { matchingPageStatement } from './matching-page-queries.ts'
import type { ContactSort } from './schemas.ts'

const seed = seedFrom('MATCHING_SEED')
console.log(`MATCHING_SEED=${seed}`)
const random = seededRandom(seed)
const { pool, workspaceId } = await testWorkspace()
const PEOPLE = 3_000
const ROUNDS = 150
const SORTS: readonly ContactSort[] = ['id', '-id', 'email', '-email', 'updatedAt', '-updatedAt']
const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!

/** Every second one is even, every tenth rare; the last third in the order of emails and of changes is late. */
async function fill(workspace: string): Promise<void> {
  const run = (text: string, ...values: unknown[]) =>
    queryInScope(pool, workspace, { text, values: [workspace, ...values] })
  await run(
    `insert into contacts (workspace_id, subject_id, email, last_name, updated_at)
     select $1, 'person-' || n, case when n % $3 <> 0 then chr(97 + place) || md5(n::text) || '@example.com' end,
       concat_ws(' ', 'known', case when n % 2 = 0 then 'even' end, case when n % 10 = 0 then 'rare' end, case when place > 16 then 'late' end),
       now() - (25 - place) * interval '1 hour' + n % 50 * interval '1 minute'
     from (select n, n * 7919 % 25 as place from generate_series(1, $2::int) n) drawn`,
    PEOPLE,
    7 + Math.floor(random() * 7),
  )
  await run(`insert into tags (workspace_id, name) values ($1, 'VIP')`)
  await run(
    `insert into contact_tags (workspace_id, tag_id, contact_id)
     select $1, t.id, c.id from tags t join contacts c using (workspace_id) where t.workspace_id = $1 and c.id % 3 > 0`,
  )
}

before(async () => {
  await fill(workspaceId)
  await fill(await createWorkspace(pool))
  for (const table of ['contacts', 'contact_search', 'tags', 'contact_tags'])
    await pool.query(`vacuum analyze ${table}`)
})

const inSearch = <R extends object>(term: string, statement: Statement<R>) =>
  inTransaction(pool, workspaceId, async (tx) => {
    await tx.query(searchForStatement(term))
    return (await tx.query(statement)).rows
  })
const bySearch = [searched(workspaceId)]
const page = (sets: readonly ContactIds[], byKey: boolean, of: { sort: ContactSort; page: number; pageSize: number }) =>
  matchingPageStatement(workspaceId, { sets, byKey }, of)

test('a page that may be walked to is the page that is sorted, whatever is asked for', async () => {
  const filters = [
    bySearch,
    [searched(workspaceId), withTag(workspaceId, 'vip')],
    [withTag(workspaceId, 'VIP')],
    [withFields(workspaceId, { updatedSince: new Date(Date.now() - 12 * 3_600_000).toISOString() })],
  ]
  for (let round = 0; round < ROUNDS; round++) {
    const sets = pick(filters)
    const term = pick(['person', 'even', 'rare', 'late', 'example.com', 'even rare', 'no such text', '7'])
    const of = {
      sort: pick(SORTS),
      page: 1 + Math.floor(random() ** 3 * 40),
      pageSize: 1 + Math.floor(random() ** 2 * 60),
    }
    const rows = async (byKey: boolean) =>
      (await inSearch<ListedRow>(term, page(sets, byKey, of))).map(({ id, total }) => ({ id, total }))
    assert.deepEqual(await rows(true), await rows(false), `${term} ${JSON.stringify(of)}`)
  }
})

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Node[]
}

/** Contacts that a page of a search is made of: those read in an order, and those fetched. */
async function contactsRead(term: string, of: { sort: ContactSort; page: number; pageSize: number }): Promise<number> {
  const { text, values } = page(bySearch, true, of)
  const [row] = await inSearch<{ 'QUERY PLAN': string }>(term, {
    text: `explain (analyze, format json) ${text}`,
    ...(values ? { values } : {}),
  })
  const [{ Plan: root }] = JSON.parse(row!['QUERY PLAN']) as [{ Plan: Node }]
  let read = 0
  for (const waiting = [root]; waiting.length > 0; ) {
    const node = waiting.pop()!
    if (node['Relation Name'] === 'contacts') read += node['Actual Rows'] * node['Actual Loops']
    waiting.push(...(node.Plans ?? []))
  }
  return read
}

test('a page of a search that finds many reads as many contacts as stand before its end, not all that are found', async () => {
  for (const sort of ['email', 'updatedAt', '-updatedAt', '-email'] as const) {
    const read = await contactsRead('even', { sort, page: 1, pageSize: 10 })
    assert.ok(read < PEOPLE / 3, `${sort} reads ${read} of ${PEOPLE}`)
  }
})

test('a page that is not where matches are expected costs little more than one that is sorted at once', async () => {
  const of = { sort: 'email', page: 1, pageSize: 5 } as const
  const [{ total } = { total: '0' }] = await inSearch<ListedRow>('late', page(bySearch, true, of))
  const found = Number(total)
  const read = await contactsRead('late', of)
  assert.ok(read > found && read < found * 1.1 + of.pageSize, `${read} for ${found}`)
  // Deep pages and rare terms are sorted at once.
  for (const [term, deep] of [
    ['late', 60],
    ['rare', 10],
  ] as const) {
    const [first] = await inSearch<ListedRow>(term, page(bySearch, true, { ...of, page: 1 }))
    assert.equal(await contactsRead(term, { ...of, page: deep }), Number(first!.total) + of.pageSize)
  }
})
