import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { createBroadcast } from '../server/modules/broadcasts/manage-broadcasts.ts'
import { readBroadcast } from '../server/modules/broadcasts/read-broadcasts.ts'
import { readReport } from '../server/modules/broadcasts/report/read-report.ts'
import { advanceBroadcast } from '../server/modules/broadcasts/run/advance-broadcast.ts'
import { sendBroadcast } from '../server/modules/broadcasts/run/start-broadcast.ts'
import { createPool } from '../server/platform/db/pool.ts'
import { openEmbeddedPostgres } from '../server/platform/postgres/embedded-postgres.ts'
import { startInstance } from '../test/support/instance.ts'
import { silentLog } from '../test/support/silent-log.ts'
import { callerOf } from '../test/support/workspace.ts'
import { fillSegments } from './fill-segments.ts'
import { withDatabase } from './instance-database.ts'

const GOAL_PER_SECOND = 50_000
const WORKSPACE_ID = '1'

/**
 * Planning a broadcast to 1,000,000 contacts: freezing the audience, then ledger and queue. `--contacts` makes it
 * smaller; `--data <folder>` keeps what is filled and uses it again.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { contacts: { type: 'string', default: '1000000' }, data: { type: 'string' } },
  })
  const dataDir = values.data ?? path.join(os.tmpdir(), `postroom-bench-plan-${process.pid}`)
  // Nobody sends what is planned: only planning is measured.
  const instance = await startInstance({ dataDir, env: { ROLE: 'web' } })
  try {
    await withDatabase(instance, async (client) => {
      const filled = await client.query('select from contacts where workspace_id = 1 limit 1')
      if (!filled.rowCount) await fillSegments(client, { contacts: Number(values.contacts), events: 1 })
      await client.query('vacuum analyze contacts')
    })
    const { url } = await openEmbeddedPostgres({ dataDir: instance.dataDir, log: silentLog })
    const pool = createPool({ name: 'pgx', url, max: 5 })
    try {
      await plan(pool)
    } finally {
      await pool.end()
    }
  } finally {
    await instance.stop()
    if (values.data === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

async function plan(pool: pg.Pool): Promise<void> {
  const caller = callerOf(WORKSPACE_ID)
  let steps: number[] = []
  let lastMs = 0
  const deps = {
    sql: pool,
    pool,
    contentFault: async () => null,
    requireReady: (key: { workspaceId: string; id: string }) => readBroadcast(pool, key),
    shouldYield() {
      steps.push(performance.now() - lastMs)
      lastMs = performance.now()
      return false
    },
  }
  const { id } = await createBroadcast(deps, caller, { name: 'Planned', subject: 'a', body: 'b' })
  await sendBroadcast(deps, caller, { id })
  steps = []
  const startedMs = performance.now()
  lastMs = startedMs
  await advanceBroadcast(deps, { workspaceId: WORKSPACE_ID, id })
  const seconds = (performance.now() - startedMs) / 1_000
  const { recipientsTotal, pendingCount, addsUp } = await readReport(pool, { workspaceId: WORKSPACE_ID, id })
  const perSecond = Math.round(recipientsTotal / seconds)
  const [freezeMs = 0, ...chunks] = steps
  const slowest = Math.round(Math.max(...chunks))
  console.log(
    `${recipientsTotal} recipients planned in ${seconds.toFixed(1)} s: ${perSecond}/s (goal ${GOAL_PER_SECOND}/s)`,
  )
  console.log(`frozen in ${Math.round(freezeMs)} ms, the slowest of ${chunks.length} steps took ${slowest} ms`)
  console.log(`pending ${pendingCount}, ${addsUp ? 'adds up' : 'DOES NOT ADD UP'}`)
}
