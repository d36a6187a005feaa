import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type pg from 'pg'
import { compileMembers } from '../server/modules/segments/compile-members.ts'
import { conditionOf } from '../server/modules/segments/segment-facts.ts'
import { createQueryBuilder } from '../server/platform/db/query-builder.ts'
import type { Transaction } from '../server/platform/db/transaction.ts'
import { send } from '../test/support/http-client.ts'
import { type Instance, startInstance } from '../test/support/instance.ts'
import { fillSegments } from './fill-segments.ts'
import { withDatabase } from './instance-database.ts'
import { limitText, percentilesOf } from './measure.ts'

const TOKEN = 'bench-segments-bench-segments-bench-segments'
const GOAL_MS = 1_000
const RUNS = 5

const rule = (field: string, operator: string, value: unknown) => ({ field, operator, value })
const all = (...rules: object[]) => ({ combinator: 'and', rules })
const any = (...rules: object[]) => ({ combinator: 'or', rules })
const not = (group: object) => ({ ...group, not: true })

const paying = any(rule('custom:plan', 'in', 'pro,team'), rule('tag', 'has', 'tag 150'))

/** `referred` is the id of a stored segment. */
const previews = (referred: string): Record<string, object> => ({
  'a custom field compared': all(rule('custom:spent', '>', '900'), rule('custom:newsletter', '=', 'true')),
  'tags combined': all(rule('tag', 'in', 'tag 20,tag 21,tag 22'), rule('tag', 'doesNotHave', 'tag 2')),
  'events counted in a window': all(
    rule('event:page.viewed', 'performed', { atLeast: 2, withinLastDays: 30 }),
    rule('time_zone', '=', 'Europe/Berlin'),
  ),
  'events with a property, and a not': all(
    rule('event:order.placed', 'performed', {
      withinLastDays: 90,
      where: [{ property: 'price', operator: '>=', value: 150 }],
    }),
    not(all(rule('event:email.opened', 'performed', '30'))),
  ),
  'groups in groups, with another segment': all(
    rule('segment', 'has', referred),
    any(
      rule('event:order.placed', 'performed', { atLeast: 1, withinLastDays: 60 }),
      all(rule('custom:spent', 'between', '500,800'), rule('tag', 'has', 'tag 5')),
      not(any(rule('first_name', 'contains', 'a'), rule('created_at', 'withinLastDays', '300'))),
    ),
    rule('tag', 'doesNotHave', 'tag 1'),
  ),
})

/**
 * Five previews over 1,000,000 contacts, 10,000,000 events and 200 tags. `--contacts`, `--events` make it smaller;
 * `--data <folder>` keeps what is filled and uses it again; `--plans` prints each plan in full.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      contacts: { type: 'string', default: '1000000' },
      events: { type: 'string', default: '10000000' },
      data: { type: 'string' },
      plans: { type: 'boolean', default: false },
    },
  })
  const dataDir = values.data ?? path.join(os.tmpdir(), `postroom-bench-segments-${process.pid}`)
  const instance = await startInstance({ dataDir, env: { BOOTSTRAP_TOKEN: TOKEN } })
  try {
    await fill(instance, { contacts: Number(values.contacts), events: Number(values.events) })
    const referred = await storedSegment(instance)
    for (const [name, definition] of Object.entries(previews(referred))) {
      const text = JSON.stringify(definition)
      const { count, callsMs } = await measurePreview(instance, text)
      const { p50, max } = percentilesOf(callsMs)
      console.log(`${name}: ${limitText(Math.round(p50), GOAL_MS, 'ms')} (slowest of ${RUNS}: ${Math.round(max)} ms)`)
      const plan = await withDatabase(instance, (client) => explain(client, text))
      console.log(`  ${count.toLocaleString('en-US')} contacts; ${scansOf(plan)}`)
      if (values.plans) console.log(plan)
    }
  } finally {
    await instance.stop()
    if (values.data === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

async function fill(instance: Instance, rows: { contacts: number; events: number }): Promise<void> {
  await withDatabase(instance, async (client) => {
    const filled = await client.query('select from contacts where workspace_id = 1 limit 1')
    if (filled.rowCount) return
    const startedMs = performance.now()
    await fillSegments(client, rows)
    console.log(`filled in ${Math.round((performance.now() - startedMs) / 1_000)} s`)
  })
}

async function storedSegment(instance: Instance): Promise<string> {
  const json = { name: `Paying ${Date.now()}`, definition: JSON.stringify(paying) }
  const answer = await send('POST', `${instance.baseUrl}/api/segments`, { token: TOKEN, json })
  if (answer.status !== 201) throw new Error(`the segment was not created: ${answer.text}`)
  return answer.json.id
}

async function measurePreview(instance: Instance, definition: string): Promise<{ count: number; callsMs: number[] }> {
  const callsMs: number[] = []
  let count = 0
  for (let run = 0; run <= RUNS; run++) {
    const startedMs = performance.now()
    const url = `${instance.baseUrl}/api/segments/preview`
    const answer = await send('POST', url, { token: TOKEN, json: { definition } })
    if (answer.status !== 200) throw new Error(answer.text)
    count = answer.json.count
    // The first one fills the caches.
    if (run > 0) callsMs.push(performance.now() - startedMs)
  }
  return { count, callsMs }
}

async function explain(client: pg.Client, definition: string): Promise<string> {
  await client.query("begin; set local postroom.workspace = '1'")
  const condition = await conditionOf(client as unknown as Transaction, '1', definition)
  const { sql: text, parameters } =
    sql`explain (analyze, timing off, costs off) ${compileMembers('1', condition)}`.compile(
      createQueryBuilder<Record<string, never>>(),
    )
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(text, [...parameters])
  await client.query('rollback')
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

/** Which tables are read how: the access paths of a plan, each once, partitions together. */
function scansOf(plan: string): string {
  const scans = plan.matchAll(/((?:Parallel )?(?:Index Only|Index|Seq|Bitmap Heap) Scan)(?: using (\S+))? on (\S+)/g)
  const seen = [...scans].map(([, kind, index, table]) => {
    const plain = (name: string) => name.replace(/_p\d{6}.*/, '')
    return index === undefined
      ? `${kind} of ${plain(table ?? '')}`
      : `${kind} (${plain(index)}) of ${plain(table ?? '')}`
  })
  return [...new Set(seen)].join(', ')
}
