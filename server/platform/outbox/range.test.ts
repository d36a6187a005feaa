import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { enrollAutomations } from '../../modules/automations/enroll-automations.ts'
import { persistEvent } from '../../modules/events/persist-event.ts'
import { updateSuppression } from '../../modules/suppression/update-suppression.ts'
import { dispatchWebhooks } from '../../modules/webhooks/dispatch-webhooks.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../db/transaction.ts'
import { outboxLag } from './lag.ts'
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
  Plans?: Plan[]
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

/** Runs `work` and gives the plans of the named statement it sends. */
async function plansOf(name: string, work: (tx: Transaction) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = []
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query(`set local plan_cache_mode = 'force_custom_plan'`)
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

async function cursorAt(row: number): Promise<Cursor> {
  const { rows } = await pool.query<Cursor>('select tx, position from outbox order by tx, position offset $1 limit 1', [
    row,
  ])
  return rows[0]!
}

test('200,000 fresh rows, never analysed', async (t) => {
  await pool.query('alter table outbox_cursors set (autovacuum_enabled = false)')
  const { rows: partitions } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'outbox'::regclass`,
  )
  for (const { name } of partitions) await pool.query(`alter table ${name} set (autovacuum_enabled = false)`)
  const early = secondProcess(database, { connections: 1 })
  await outboxLag(early)
  for (let written = 0; written < ROWS; written += 20_000) {
    await pool.query({
      text: `insert into outbox (workspace_id, type, name, subject, data, occurred_at)
        select 1, 'event.recorded', 'page.view', 's' || n, '{"a":1}', now() from generate_series(1, 20000) n`,
      query_timeout: 30_000,
    } as pg.QueryConfig)
  }
  const middle = await cursorAt(ROWS / 2)
  const end = await cursorAt(ROWS - 1)
  const groups = [persistEvent, updateSuppression, enrollAutomations, dispatchWebhooks({} as never)]
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
        const range = await inTransaction(pool, ALL_WORKSPACES, async (tx) => await settled(tx, middle, rowsMax))
        assert.equal(range.rows, rowsMax)
        for (const plan of await plansOf(group.handler, (tx) => group.handle(tx, range))) assertReadsIndex(plan, 2)
      }
    })
  }

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
      const tries: number[] = []
      for (let n = 0; n < 15; n++) {
        const started = performance.now()
        await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
          await tx.query(`set local plan_cache_mode = 'force_custom_plan'`)
          assert.equal((await nextRange(tx, cursor, 1_000)).range?.rows, 1_000)
        })
        tries.push(performance.now() - started)
      }
      return tries.sort((a, b) => a - b)[7]!
    }
    const [first, last] = [await time(START), await time(await cursorAt(ROWS - 1_001))]
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
async function settled(tx: Transaction, cursor: Cursor, rowsMax: number): Promise<Range> {
  for (let n = 0; n < 1_000; n++) {
    const { range } = await nextRange(tx, cursor, rowsMax)
    if (range?.rows === rowsMax) return range
  }
  throw new Error('an open transaction hides the rows')
}
