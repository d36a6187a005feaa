import pg from 'pg'
import { type ConstructorOptions, type Db, PgBoss } from 'pg-boss'
import { withQueryTimeout } from '../db/query-timeout.ts'
import { ALL_WORKSPACES, inTransaction } from '../db/transaction.ts'
import { DAY_SECONDS } from '../durations.ts'

/**
 * pg-boss keeps the tables: it installs and migrates the schema `jobs`, gives orphaned jobs back, removes what is past
 * its retention and watches index bloat. The statements of every job's way through (enqueue, claim, settle, keep alive)
 * are ours, in this folder, because pg-boss's own
 * - put one queue's rows a statement, where an event's effects are jobs of several queues in the caller's transaction;
 * - know no snooze, no delay chosen by the failure, and no key that merges waiting jobs without ruling the whole queue;
 * - hand out another attempt number only when a job was not released in between, so a zombie could settle for its heir;
 * - are planned from statistics: after a bulk insert a claim sorted the whole backlog (40 ms where 0.5 ms do).
 */
const SCHEMA = 'jobs'

/**
 * Without a sign of life for this long a job counts as orphaned to pg-boss, which accepts no less than 10. It is the second
 * to look, where no process runs the queue: `find-orphans.ts` is sooner.
 */
export const HEARTBEAT_SECONDS = 15
const MONITOR_SECONDS = 5
const RETENTION_PASS_SECONDS = 300
/** pg-boss's statements walk whole tables now and then. */
const BOSS_QUERY = { types: pg.types, query_timeout: 55_000 }

/** For the look after silent jobs: those at work are few, those that wait may be millions. */
const JOBS_AT_WORK = `create index if not exists jobs_at_work on ${SCHEMA}.job_common (name) where state = 'active'`

/**
 * Creates or updates the schema `jobs` and the queues in it. Any number of processes may do it at once; an ordinary
 * role that may create schemas in its database is enough.
 */
export async function migrateJobs(pool: pg.Pool, queues: readonly string[]): Promise<void> {
  const errors: unknown[] = []
  const boss = createBoss(pool, { supervise: false })
  boss.on('error', (error) => errors.push(error))
  await boss.start()
  try {
    for (const queue of queues) await boss.createQueue(queue, { heartbeatSeconds: HEARTBEAT_SECONDS })
  } finally {
    await boss.stop({ graceful: false })
  }
  if (errors.length > 0) throw new AggregateError(errors, 'the job tables could not be migrated')
  await inTransaction(pool, ALL_WORKSPACES, async (plain) => {
    const tx = withQueryTimeout(plain, BOSS_QUERY.query_timeout)
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('jobs_at_work', 0))`)
    await tx.query(JOBS_AT_WORK)
  })
}

/**
 * pg-boss watching over the tables on a schedule of its own, shared by the fleet: jobs without a heartbeat wait again,
 * discarded ones leave after their retention. Reports its errors through the event `error`, and goes on.
 */
export function createSupervisor(pool: pg.Pool): PgBoss {
  return createBoss(pool, { supervise: true })
}

function createBoss(pool: pg.Pool, options: ConstructorOptions): PgBoss {
  return new PgBoss({
    db: bossDatabase(pool),
    schema: SCHEMA,
    migrate: true,
    schedule: false,
    superviseIntervalSeconds: MONITOR_SECONDS,
    monitorIntervalSeconds: MONITOR_SECONDS,
    maintenanceIntervalSeconds: RETENTION_PASS_SECONDS,
    // No job of ours depends on another one.
    flowIntervalSeconds: DAY_SECONDS,
    ...options,
  })
}

/**
 * Our pool as pg-boss wants to see it: values parsed the way pg does by default, and a connection that fails inside
 * one of its multi-statement transactions is rolled back before somebody else gets it.
 */
function bossDatabase(pool: pg.Pool): Db {
  return {
    async executeSql(text, values) {
      const client = await pool.connect()
      let broken: Error | undefined
      try {
        return await client.query({ text, ...(values ? { values } : {}), ...BOSS_QUERY })
      } catch (error) {
        await client.query('rollback').catch((rollbackError: Error) => {
          broken = rollbackError
        })
        throw error
      } finally {
        client.release(broken)
      }
    },
  }
}
