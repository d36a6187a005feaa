import assert from 'node:assert/strict'
import type pg from 'pg'
import type { Statement } from '../../server/platform/db/statement.ts'
import { inTransaction, type Transaction } from '../../server/platform/db/transaction.ts'

/** A list, the statement of one of its pages, and the indexes that have to find its rows. */
export type ListCase = {
  list: string
  statement: Statement<object>
  /** The statement that the transaction runs before. */
  first?: Statement<object>
  indexes: readonly string[]
  /** With the plan that a prepared statement may get for all values at once. */
  plannedOnce?: boolean
}

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

/** Counters are a handful of rows: how they are read does not matter. */
const COUNTERS = ['row_counts', 'tag_counts']

/**
 * Fails unless the planner, with the tables as they are, reads none of them as a whole, uses each index of the case, and
 * every index it uses from the workspace on. The tables need rows enough for that to be the cheaper way.
 */
export async function assertIndexed(pool: pg.Pool, workspaceId: string, one: ListCase): Promise<void> {
  await inTransaction(pool, workspaceId, async (tx) => assertPlan(await nodesOf(tx, one), one))
}

/** Fails unless `assertIndexed` would fail if any of the cases' indexes were not there: each is taken away for a moment. */
export async function assertNoticed(pool: pg.Pool, workspaceId: string, cases: readonly ListCase[]): Promise<void> {
  for (const one of cases) {
    for (const index of one.indexes) {
      const without = inTransaction(pool, workspaceId, async (tx) => {
        await tx.query(await removalOf(tx, index))
        assertPlan(await nodesOf(tx, one), one)
      })
      await assert.rejects(without, assert.AssertionError, `${one.list} without ${index}`)
    }
  }
}

async function removalOf(tx: Transaction, index: string): Promise<string> {
  const { rows } = await tx.query<{ statement: string }>(
    `select coalesce(
       (select format('alter table %s drop constraint %I cascade', conrelid::regclass, conname)
        from pg_constraint where conindid = $1::regclass and contype in ('p', 'u')),
       format('drop index %s', $1::regclass)) as statement`,
    [index],
  )
  return rows[0]!.statement
}

async function nodesOf(tx: Transaction, { statement, first, plannedOnce }: ListCase): Promise<Plan[]> {
  if (first) await tx.query(first)
  const explained = plannedOnce ? await prepared(tx, statement) : statement
  const { rows } = await tx.query<{ 'QUERY PLAN': string }>({
    text: `explain (format json) ${explained.text}`,
    values: explained.values,
  })
  if (plannedOnce) await tx.query('deallocate planned_once')
  const [{ Plan: root }] = JSON.parse(rows[0]!['QUERY PLAN']) as [{ Plan: Plan }]
  const nodes: Plan[] = []
  for (const waiting = [root]; waiting.length > 0; ) {
    const node = waiting.pop()!
    nodes.push(node)
    waiting.push(...(node.Plans ?? []))
  }
  return nodes
}

async function prepared(tx: Transaction, { text, values = [] }: Statement<object>): Promise<Statement<object>> {
  await tx.query('set local plan_cache_mode = force_generic_plan')
  await tx.query(`prepare planned_once as ${text}`)
  return { text: `execute planned_once(${values.map((value: unknown) => `'${value}'`).join()})`, values: [] }
}

function assertPlan(nodes: readonly Plan[], { list, indexes }: ListCase): void {
  const whole = nodes.filter(
    (node) => node['Node Type'] === 'Seq Scan' && !COUNTERS.includes(node['Relation Name'] ?? ''),
  )
  assert.deepEqual(whole, [], `${list} reads a whole table`)
  const scans = nodes.filter((node) => node['Index Name'] !== undefined)
  const used = scans.map((node) => node['Index Name'])
  for (const index of indexes) assert.ok(used.includes(index), `${list} does not use ${index} but ${used}`)
  for (const scan of scans) {
    assert.match(scan['Index Cond'] ?? '', /workspace_id = /, `${list} uses ${scan['Index Name']} of every workspace`)
  }
}
