import type pg from 'pg'
import { textArray } from '../db/arrays.ts'
import { settle } from './settle.ts'
import { runPinned } from './statement.ts'

/** Older heartbeats look like those of a dead process: living ones beat every 1.5 s. */
const SILENT_SECONDS = 3
/** A job is an orphan when it is seen without a sign of life for so long, while the database worked all the time. */
const CONFIRM_MS = 3_000

type Silent = { id: string; claimedAt: string; heartbeatOn: string }

const SILENT = `select job.id, job.started_on as "claimedAt", job.heartbeat_on as "heartbeatOn" from jobs.job_common job
  where job.name = $1 and job.state = 'active' and job.heartbeat_on < now() - interval '${SILENT_SECONDS} seconds'`

/**
 * Takes their last heartbeat from jobs that are still as they were seen: it waits for a holder whose heartbeat is under
 * way, and for a standby where commits do. So nothing is taken from the living because the database had stood still.
 */
const CONDEMN = `with seen as materialized (
    select $2::text[]::uuid[] as ids, $3::text[]::timestamptz[] as claims, $4::text[]::timestamptz[] as heartbeats
  )
  update jobs.job_common job set heartbeat_on = 'epoch'
  where job.name = $1 and job.id = any ((select ids from seen)::uuid[]) and job.state = 'active'
    and job.started_on = (select claims from seen)[array_position((select ids from seen), job.id)]
    and job.heartbeat_on = (select heartbeats from seen)[array_position((select ids from seen), job.id)]
  returning job.id`

/**
 * Gives the jobs of dead processes back, some seven seconds after the last word of theirs. pg-boss would after twenty: it
 * knows no heartbeats shorter than ten, and looks by the clock alone.
 */
export class OrphanFinder {
  readonly #pool: pg.Pool
  readonly #queue: string
  #seen = new Map<string, Silent & { sinceMs: number }>()

  constructor(pool: pg.Pool, queue: string) {
    this.#pool = pool
    this.#queue = queue
  }

  /** Looks once; how many jobs were given back. Called every second or two. After a failed look it begins anew. */
  async look(nowMs = performance.now()): Promise<number> {
    const before = this.#seen
    this.#seen = new Map()
    const silent = await runPinned<Silent>(this.#pool, { name: 'silent_jobs', text: SILENT, values: [this.#queue] })
    const seen = silent.map((job) => {
      const known = before.get(job.id)
      const isSame = known?.claimedAt === job.claimedAt && known.heartbeatOn === job.heartbeatOn
      return { ...job, sinceMs: isSame ? known.sinceMs : nowMs }
    })
    const orphans = seen.filter(({ sinceMs }) => nowMs - sinceMs >= CONFIRM_MS)
    const given = orphans.length === 0 ? 0 : await this.#giveBack(orphans)
    this.#seen = new Map(seen.map((job) => [job.id, job]))
    return given
  }

  async #giveBack(orphans: readonly Silent[]): Promise<number> {
    const column = (value: (job: Silent) => string) => textArray(orphans.map(value))
    const rows = await runPinned<{ id: string }>(this.#pool, {
      name: 'condemn_silent_jobs',
      text: CONDEMN,
      values: [
        this.#queue,
        column(({ id }) => id),
        column(({ claimedAt }) => claimedAt),
        column(({ heartbeatOn }) => heartbeatOn),
      ],
    })
    const condemned = new Set(rows.map(({ id }) => id))
    const back = { next: 'wait', afterMs: 0, error: null, attemptsBack: 0 } as const
    const settlements = orphans.flatMap((job) => (condemned.has(job.id) ? [{ job, step: back }] : []))
    return settlements.length === 0 ? 0 : (await settle(this.#pool, this.#queue, settlements)).size
  }
}
