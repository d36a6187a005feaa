import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { enrollAutomations } from '../../modules/automations/entry/enroll-automations.ts'
import { persistEvent } from '../../modules/events/persist-event.ts'
import { updateSuppression } from '../../modules/suppression/update-suppression.ts'
import { dispatchWebhooks } from '../../modules/webhooks/dispatch-webhooks.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../db/transaction.ts'
import { outboxLag } from './lag.ts'
import { pinPlans } from './plans.ts'
import { type Cursor, nextRange, type Range, rangeOfRow } from './range.ts'

/** As many partitions as the service makes; the rows are all in today's. */
const { database, pool } = await testWorkspace({ daysAhead: 7 })
const ROWS = 200_000
const START = { tx: '0', position: '0' }

type Plan = {
  'Node Type': string
  'Index Cond'?: string
  'Relation Name'?: string
  'Index Name'?: string
  'Subplan Name'?: string
  'Parent Relationship'?: string
  Plans?: Plan[]
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

/** Runs `work` and gives the plans of the named statement it sends. */
async function plansOf(name: string, work: (tx: Transaction) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = []
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    pinPlans(tx)
    await tx.query('savepoint before')
    const query = async (statement: pg.QueryConfig) => {
      if (statement.name === name) {
        const { rows } = await tx.query({
          text: `explain (format json) ${statement.text}`,
          values: statement.values ?? [],
        })
        plans.push(JSON.parse(rows[0]['QUERY PLAN'])[0].Plan)
      }
      return await tx.query(statement)
    }
    await work({ scope: tx.scope, query } as Transaction)
    await tx.query('rollback to savepoint before')
  })
  assert.ok(plans.length > 0, `the statement ${name} was sent`)
  return plans
}

/** The log is read through its index, at least `bounds` bounds of the range being conditions of the index. */
function assertReadsIndex(plan: Plan, bounds: number): void {
  const scans = nodesOf(plan).filter((node) => node['Relation Name']?.startsWith('outbox_p'))
  assert.ok(scans.length > 0)
  for (const scan of scans) {
    assert.match(scan['Node Type'], /^Index/, JSON.stringify(scan))
    assert.match(scan['Index Name']!, /_tx_position_idx$/)
    const found = scan['Index Cond']?.match(/ROW\(tx, "?position"?\) [<>]|\btx </g) ?? []
    assert.ok(found.length >= bounds, scan['Index Cond'])
  }
}

/** The plan that a connection keeps for a statement. */
async function keptPlan(tx: Transaction, name: string, values: unknown[]): Promise<Plan> {
  const { rows } = await tx.query(`explain (format json) execute ${name} (${values.join(', ')})`)
  return JSON.parse(rows[0]['QUERY PLAN'])[0].Plan
}

/** Reads the log once: it is never looked through again for each row of another table. */
function assertReadsLogOnce(plan: Plan): void {
  const inner = nodesOf(plan).filter((node) => node['Parent Relationship'] === 'Inner')
  for (const node of inner.flatMap(nodesOf)) assert.doesNotMatch(node['Relation Name'] ?? '', /^outbox/)
}

async function cursorAt(row: number): Promise<Cursor> {
  const { rows } = await pool.query<Cursor>('select tx, position from outbox order by tx, position offset $1 limit 1', [
    row,
  ])
  return rows[0]!
}

test('200,000 fresh rows, never analysed', async (t) => {
  for (const table of ['outbox_cursors', 'automation_listens', 'webhook_endpoints'])
    await pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
  const { rows: partitions } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'outbox'::regclass`,
  )
  for (const { name } of partitions) await pool.query(`alter table ${name} set (autovacuum_enabled = false)`)
  const early = secondProcess(database, { connections: 1 })
  await outboxLag(early)
  const groups = [persistEvent, updateSuppression, enrollAutomations, dispatchWebhooks]
  await inTransaction(early, ALL_WORKSPACES, async (tx) => {
    pinPlans(tx)
    await nextRange(tx, START, 1)
    for (const group of groups) await group.handle(tx, rangeOfRow({ tx: '1', position: '1' }))
  })
  for (let written = 0; written < ROWS; written += 20_000) {
    await pool.query({
      text: `insert into outbox (workspace_id, type, name, subject, data, occurred_at)
        select 1, 'event.recorded', 'page.view', 's' || n, '{"a":1}', now() from generate_series(1, 20000) n`,
      query_timeout: 30_000,
    } as pg.QueryConfig)
  }
  const middle = await cursorAt(ROWS / 2)
  const end = await cursorAt(ROWS - 1)
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query(`with a as (insert into automations (workspace_id, name, draft)
        select 1, 'a' || n, '{}' from generate_series(1, 2000) n returning workspace_id, id, name
      ), v as (insert into automation_versions (workspace_id, automation_id, version, definition)
        select workspace_id, id, 1, '{}' from a)
      insert into automation_listens (workspace_id, name, automation_id, version, kind, way, filtered)
      select workspace_id, case name when 'a1' then 'page.view' else 'never' end, id, 1, 'entry', 0, false from a`)
    await tx.query(`insert into webhook_endpoints (workspace_id, url, event_types, secret)
      select 1, 'https://example.com/' || n, '{never}', 's' from generate_series(1, 10) n`)
  })
  const { rows } = await pool.query<{ analysed: string }>(
    `select count(*) as analysed from pg_stat_user_tables where relname like 'outbox_p%' and (last_analyze is not null or last_autoanalyze is not null)`,
  )
  assert.equal(rows[0]!.analysed, '0')

  for (const [place, cursor] of Object.entries({ beginning: START, middle, end })) {
    await t.test(`the next range is found through the index, from the ${place}`, async () => {
      for (const rowsMax of [1, 50, 5_000]) {
        for (const plan of await plansOf('outbox_next_range', (tx) => nextRange(tx, cursor, rowsMax))) {
          const batch = nodesOf(plan).find((node) => node['Subplan Name'] === 'CTE batch')
          assertReadsIndex(batch!, 2)
          assertReadsIndex(plan, 1)
        }
      }
    })
  }

  for (const group of groups) {
    await t.test(`${group.handler} reads a range of any size through the index`, async () => {
      for (const rowsMax of [1, 50, 5_000]) {
        const range = await settled(middle, rowsMax)
        assert.equal(range.rows, rowsMax)
        for (const plan of await plansOf(group.handler, (tx) => group.handle(tx, range))) assertReadsIndex(plan, 2)
      }
    })
  }

  await t.test(
    'plans that a connection made while all was empty, and keeps, read the log once and by index',
    async () => {
      await inTransaction(early, ALL_WORKSPACES, async (tx) => {
        pinPlans(tx)
        assertReadsIndex(await keptPlan(tx, 'outbox_next_range', [0, 0, 100, 1, 1]), 1)
        for (const name of ['persist_event', 'update_suppression', 'enrolling_events', 'dispatch_webhooks']) {
          const plan = await keptPlan(tx, name, [0, 0, 1, 1, 100])
          assertReadsIndex(plan, 2)
          assertReadsLogOnce(plan)
          for (const node of nodesOf(plan)) assert.notEqual(node['Node Type'], 'Seq Scan')
        }
      })
    },
  )

  await t.test('lag asks the index for one row of each partition', async () => {
    await pool.query(`insert into outbox_cursors values ('beginning', 0, 0), ('middle', $1, $2)`, [
      middle.tx,
      middle.position,
    ])
    for (const plan of await plansOf('outbox_lag', (tx) => outboxLag(tx))) assertReadsIndex(plan, 1)
    // The plan that a connection made while the log was empty, and keeps.
    const { rows: kept } = await early.query('explain (format json) execute outbox_lag')
    assertReadsIndex(JSON.parse(kept[0]['QUERY PLAN'])[0].Plan, 1)
  })

  await t.test('a step costs the same at the end of the log as at its beginning', async () => {
    const time = async (cursor: Cursor) => {
      const started = performance.now()
      await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
        pinPlans(tx)
        assert.equal((await nextRange(tx, cursor, 1_000)).range?.rows, 1_000)
      })
      return performance.now() - started
    }
    const end = await cursorAt(ROWS - 1_001)
    await settled(end, 1_000)
    // In turns, so that both have their share of what else the machine does.
    const tries: { first: number; last: number }[] = []
    for (let n = 0; n < 15; n++) tries.push({ first: await time(START), last: await time(end) })
    const [first, last] = (['first', 'last'] as const).map((which) => Math.min(...tries.map((one) => one[which]))) as [
      number,
      number,
    ]
    t.diagnostic(`a range of 1,000: ${first.toFixed(1)} ms at the beginning, ${last.toFixed(1)} ms at the end`)
    assert.ok(last < first * 5 + 5)
  })
})

test('the range of one row holds that row and no other', async () => {
  const row = await cursorAt(1_234)
  const range = rangeOfRow(row)
  const { rows } = await pool.query(
    'select position from outbox where (tx, position) > ($1, $2) and (tx, position) <= ($3, $4)',
    [range.fromTx, range.fromPosition, range.toTx, range.toPosition],
  )
  assert.deepEqual(rows, [{ position: row.position }])
})

/** The next range, as soon as no open transaction of another test file hides its rows. */
async function settled(cursor: Cursor, rowsMax: number): Promise<Range> {
  const next = () => inTransaction(pool, ALL_WORKSPACES, async (tx) => (await nextRange(tx, cursor, rowsMax)).range)
  await eventually('no open transaction hides the rows', async () => (await next())?.rows === rowsMax)
  return (await next())!
}
