import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assertIndexed, assertNoticed, type ListCase } from '../../../test/support/list-plans.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { createQueryBuilder } from '../../platform/db/query-builder.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { compileMembers } from './compile-members.ts'
import type { Condition } from './conditions.ts'
import type { IdRange } from './id-range.ts'
import { segmentsPageStatement, segmentsTotalStatement } from './queries.ts'

const { pool, workspaceId } = await testWorkspace()
const NEIGHBOURS = 10
const SEGMENTS = 1_000
const EVENTS = 20_000

before(async () => {
  const workspaces = [workspaceId]
  for (let n = 0; n < NEIGHBOURS; n++) workspaces.push(await createWorkspace(pool))
  for (const scope of workspaces) {
    await fill(
      scope,
      `insert into segments (workspace_id, name, definition)
       select $1, 'segment ' || n, '' from generate_series(1, ${SEGMENTS}) n`,
    )
  }
  await fill(
    workspaceId,
    `insert into contacts (workspace_id, subject_id) select $1, 'user-' || n from generate_series(1, 5000) n`,
  )
  await fill(
    workspaceId,
    `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
     select $1, n, now(), 'event.recorded', 'event ' || n % 20, '', n % 5000 + 1, '{}', now() - n * interval '1 minute'
     from generate_series(1, ${EVENTS}) n`,
  )
  for (const table of ['segments', 'contacts', 'events']) await pool.query(`vacuum analyze ${table}`)
})

const fill = (scope: string, text: string) => queryInScope(pool, scope, { text, values: [scope] })

const LISTS: readonly ListCase[] = [
  {
    list: 'all segments',
    statement: segmentsPageStatement(workspaceId, null, { page: 3, pageSize: 25 }),
    indexes: ['segments_pkey'],
  },
  {
    list: 'segments by name',
    statement: segmentsPageStatement(workspaceId, 'ment 77', { page: 1, pageSize: 25 }),
    indexes: ['segments_pkey'],
  },
  { list: 'how many by name', statement: segmentsTotalStatement(workspaceId, 'ment 77'), indexes: ['segments_pkey'] },
]

for (const one of LISTS) test(`the list of ${one.list} uses its index`, () => assertIndexed(pool, workspaceId, one))

test('a missing index is noticed', () => assertNoticed(pool, workspaceId, LISTS))

test('who did something lately is found in the index of events by name, without a look at the events', async () => {
  const from = new Date(Date.now() - 86_400_000).toISOString()
  const which = { name: 'event 7', min: 2, max: null, from, until: null, where: [] }
  const plan = await planOf({ kind: 'performed', ...which })
  assert.match(
    plan,
    /Index Only Scan using events_p\d{6}_workspace_id_name_occurred_at_contact_id_idx on events_p\d{6} e\S*\n\s+Index Cond: \(\(workspace_id = '\d+'::bigint\) AND \(name = 'event 7'::text\) AND \(occurred_at >= /,
  )
  assert.match(plan, /Index Only Scan using contacts_pkey on contacts c/)
})

test('who is known by an address is found by it', async () => {
  const match = { is: 'equal', value: 'user-7' } as const
  const comparison = { type: 'text', negated: false, match } as const
  const plan = await planOf({ kind: 'compares', subject: { column: 'subject_id' }, comparison })
  assert.match(plan, /using contacts_subject_id_taken/)
})

test('of a range of contacts nobody else is looked at, not in their events either', async () => {
  const [{ id } = { id: '0' }] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: 'select min(id) as id from contacts where workspace_id = $1',
    values: [workspaceId],
  })
  const range = { after: id, to: String(Number(id) + 5) }
  const often = { name: 'event 7', min: 2, max: null, from: null, until: null, where: [] }
  const performed: Condition = { kind: 'performed', ...often }
  const plan = await planOf({ kind: 'any', of: [performed, { kind: 'not', of: performed }] }, range)
  const looks = plan.match(/(Index Cond|Filter): .*contact_id > '\d+'::bigint\) AND \(contact_id <= /g) ?? []
  assert.ok(looks.length >= 2, plan)
  assert.match(plan, /Index Cond: \(\(workspace_id = '\d+'::bigint\) AND \(contact_id > '\d+'::bigint\)/)
  assert.match(
    plan,
    /contacts_pkey[^\n]*\n\s+Index Cond: \(\(workspace_id = '\d+'::bigint\) AND \(id > '\d+'::bigint\)/,
  )
})

async function planOf(condition: Condition, range: IdRange | null = null): Promise<string> {
  const { sql: text, parameters } = compileMembers(workspaceId, condition, range).compile(
    createQueryBuilder<Record<string, never>>(),
  )
  const { rows } = await inTransaction(pool, workspaceId, (tx) =>
    tx.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, [...parameters]),
  )
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
