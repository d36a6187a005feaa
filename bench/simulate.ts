import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { publishVersion } from '../server/modules/automations/definition/publish-version.ts'
import { automationForChange, setSwitches } from '../server/modules/automations/definition/queries.ts'
import { createSimulation, readSimulation } from '../server/modules/automations/simulate/manage-simulations.ts'
import { runSimulation } from '../server/modules/automations/simulate/run-simulation.ts'
import { walkIn } from '../server/modules/automations/simulate/simulate-automation.ts'
import { createSimulator } from '../server/modules/automations/simulate/simulator.ts'
import { EVENT_PARTITIONS } from '../server/modules/events/queries.ts'
import { ensurePartitions } from '../server/platform/db/partitions.ts'
import { createPool } from '../server/platform/db/pool.ts'
import { inTransaction, queryInScope } from '../server/platform/db/transaction.ts'
import { DAY_MS } from '../server/platform/durations.ts'
import { openEmbeddedPostgres } from '../server/platform/postgres/embedded-postgres.ts'
import { startInstance } from '../test/support/instance.ts'
import { silentLog } from '../test/support/silent-log.ts'
import { callerOf } from '../test/support/workspace.ts'
import { limitText } from './measure.ts'

const TOKEN = 'bench-simulate-bench-simulate-bench-simulate'
const WORKSPACE_ID = '1'
const GOAL_S = 60
/** On a busy machine a statement may take longer than the service promises: it shows in the numbers. */
const PATIENCE = 20
const DAYS = 30
const SAMPLE_MS = 200
const MIB = 2 ** 20

const MAIL = { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>' }
const definition = (hours: number) => ({
  format: 1,
  enter: {
    on: [{ event: 'cart.updated', where: [{ property: 'total', operator: '>=', value: 20 }] }],
    again: { mode: 'after_end' },
  },
  exit: [{ event: 'order.paid' }],
  start: 'rest',
  nodes: {
    rest: { type: 'wait', for: [{ event: 'page.viewed', to: 'fits' }], timeout: `PT${hours}H`, late: 'remind' },
    fits: {
      type: 'branch',
      ways: [
        {
          if: {
            rules: [{ field: 'event:page.viewed', operator: 'performed', value: { atLeast: 2, withinLastDays: 7 } }],
          },
          to: 'day',
        },
      ],
      else: 'remind',
    },
    day: { type: 'delay', days: 1, at: '09:00', to: 'remind' },
    remind: { ...MAIL, to: 'end' },
  },
})

/**
 * A draft and the version in force over past events, by the thread and the pages that the job has. `--people` and `--events` (of each)
 * make it other than 100,000 and 10.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { people: { type: 'string', default: '100000' }, events: { type: 'string', default: '10' } },
  })
  const [people, events] = [Number(values.people), Number(values.events)]
  const dataDir = path.join(os.tmpdir(), `postroom-bench-simulate-${process.pid}`)
  const instance = await startInstance({ dataDir, env: { ROLE: 'web', BOOTSTRAP_TOKEN: TOKEN } })
  try {
    const { url } = await openEmbeddedPostgres({ dataDir: instance.dataDir, log: silentLog })
    const pool = createPool({ name: 'pgx', url, max: 3, patience: PATIENCE })
    try {
      await fill(pool, people, events)
      await simulate(pool, people * events)
    } finally {
      await pool.end()
    }
  } finally {
    await instance.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function fill(pool: pg.Pool, people: number, events: number): Promise<void> {
  await ensurePartitions(pool, { ...EVENT_PARTITIONS, ahead: 2 }, new Date(Date.now() - DAYS * DAY_MS))
  const rows = (text: string, values: unknown[]) =>
    queryInScope(pool, WORKSPACE_ID, { text, values, query_timeout: 600_000 })
  await rows(
    `insert into contacts (workspace_id, email) select 1, 'p' || n || '@example.com' from generate_series(1, $1::int) n`,
    [people],
  )
  await rows(
    `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
     select 1, nextval('outbox_position'), at, 'event.recorded',
       (array['cart.updated', 'page.viewed', 'page.viewed', 'order.paid', 'cart.updated'])[1 + (random() * 4.99)::int % 5], '', id,
       jsonb_build_object('total', (random() * 100)::int, 'page', 'https://example.com/some/page'), at
     from (select c.id, now() - random() * interval '${DAYS - 2} days' as at from contacts c, generate_series(1, $1::int) n
       where c.workspace_id = 1 order by 2) happened`,
    [events],
  )
  for (const table of ['contacts', 'events'])
    await pool.query({ text: `vacuum analyze ${table}`, query_timeout: 600_000 } as pg.QueryConfig)
}

async function simulate(pool: pg.Pool, events: number): Promise<void> {
  const automationId = await inTransaction(pool, WORKSPACE_ID, async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft) values (1, 'Bench', $1) returning id`,
      [JSON.stringify(definition(2))],
    )
    const key = { workspaceId: WORKSPACE_ID, id: rows[0]!.id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion })
    await tx.query('update automations set draft = $2, draft_changed = true where id = $1', [
      key.id,
      JSON.stringify(definition(4)),
    ])
    return key.id
  })
  const body = { days: DAYS }
  const { id } = await createSimulation({ sql: pool }, callerOf(WORKSPACE_ID), { id: automationId, body, byJob: false })
  const simulator = createSimulator()
  const memory: number[] = []
  const sampling = setInterval(() => memory.push(process.memoryUsage().rss), SAMPLE_MS)
  const startedMs = performance.now()
  try {
    const walk: Parameters<typeof runSimulation>[0]['walk'] = (plan, page) => walkIn(simulator, { plan, page })
    await runSimulation({ pool, walk }, { workspaceId: WORKSPACE_ID, id })
  } finally {
    clearInterval(sampling)
    await simulator.close()
  }
  const seconds = (performance.now() - startedMs) / 1_000
  const { report, people } = await readSimulation({ sql: pool }, { workspaceId: WORKSPACE_ID, automationId, id })
  const { draft, live } = report!
  const half = memory.slice(0, Math.ceil(memory.length / 2))
  console.log(
    `${events.toLocaleString('en-US')} events of ${people.done.toLocaleString('en-US')} people: ${limitText(seconds, GOAL_S, 's')}`,
  )
  console.log(
    `  draft: ${draft.entered} entries, ${draft.mails.total} mails; in force: ${live!.entered} entries, ${live!.mails.total} mails`,
  )
  console.log(`  memory at most ${mib(Math.max(...half))} in the first half and ${mib(Math.max(...memory))} in all`)
}

const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`
