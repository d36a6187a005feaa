import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHandClock } from '../../../../test/support/hand-clock.ts'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { secondProcess, testWorkspace } from '../../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, planOnce, queryInScope } from '../../../platform/db/transaction.ts'
import { analyzeGrownLedger } from '../ledger/analyze-ledger.ts'
import type { Claim } from './claim-messages.ts'
import { createHandingMarks } from './mark-handing.ts'

const { database, pool, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)

/** So many uses: the plan is one that is made without the values, and kept. */
const USES = 7
const PEOPLE = 5_000

const claimOf = (ofWorkspace: string) =>
  ({ workspaceId: ofWorkspace, id: '1', slot: 0, turn: '1', createdAt: new Date().toISOString() }) as Claim

test('a connection that has marked while the ledger was empty finds everything by its key when a broadcast is planned', async () => {
  const one = secondProcess(database, { connections: 1 })
  const marks = createHandingMarks(one, (error) => assert.fail(String(error)))
  for (let n = 0; n < USES; n++) assert.equal(await marks.mark(claimOf(workspaceId)), false)
  const plan = () =>
    inTransaction(one, ALL_WORKSPACES, async (tx) => {
      planOnce(tx)
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) execute mark_handing('{${workspaceId}}', '{1}', '{0}', '{1}', now(), now() + interval '1 ms')`,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
  for (const text of [
    `insert into contacts (workspace_id, email) select $1, 'p' || n || '@example.com' from generate_series(1, ${PEOPLE}) n`,
    `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination)
     select workspace_id, 'marketing', 'broadcast', 1, id, email from contacts where workspace_id = $1`,
  ]) {
    await queryInScope(pool, workspaceId, { text, values: [workspaceId] })
  }
  const [partition, ...others] = await analyzeGrownLedger(pool)
  assert.match(partition!, /^messages_p\d{6}$/)
  assert.deepEqual(others, [])
  assert.deepEqual(await analyzeGrownLedger(pool), [], 'once, until it has grown again')
  const kept = await plan()
  const ofTheRow = new RegExp(`using \\S+ on ${partition} \\S+\\n\\s+Index Cond: (.*)`).exec(kept)?.[1] ?? kept
  for (const found of ['workspace_id =', 'id =', 'created_at >=', 'created_at <'])
    assert.ok(ofTheRow.includes(`(${found} `), kept)
  assert.match(kept, /contacts_pkey on contacts c\n\s+Index Cond: \(\(workspace_id = [^)]+\) AND \(id = /)
  assert.doesNotMatch(kept, /contacts_by_update/)
})

test('one message is marked at once, and those that follow it closely with one statement', async () => {
  const one = secondProcess(database, { connections: 1 })
  const clock = createHandClock()
  const marks = createHandingMarks(one, (error) => assert.fail(String(error)), clock)
  const claims = Array.from({ length: 40 }, (_, n) => ({ ...claimOf(workspaceId), id: String(n + 1) }))
  const statements = async () => {
    const { rows } = await one.query(
      `select sum(generic_plans + custom_plans)::int as n from pg_prepared_statements where name = 'mark_handing'`,
    )
    return rows[0].n
  }
  await marks.mark(claims[0]!)
  assert.equal(await statements(), 1, 'nothing was waited for')
  const few = claims.slice(0, 5).map((claim) => marks.mark(claim))
  assert.equal(await statements(), 1, 'they gather')
  clock.advance(10)
  await Promise.all(few)
  assert.equal(await statements(), 2)
  await Promise.all(claims.slice(0, 16).map((claim) => marks.mark(claim)))
  assert.equal(await statements(), 3, 'so many wait for nobody else')
})
