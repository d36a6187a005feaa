import type pg from 'pg'
import type { SendTurnJob } from '../../server/modules/sending/lanes.ts'

/** A job of a turn as a worker gets it; `runAt` is when it is due, undefined when it is now. */
export type WaitingJob = SendTurnJob & { runAt: string | undefined }

const JOB = `id as "jobId", data ->> 'payload' as payload, case when start_after > now() then start_after end as "runAt"`
const OF_STREAMS = `data ->> 'kind' = 'send_messages' and state < 'active'`

/** The jobs of streams' turns that wait in the queue, by slot. */
export function sendJobs(pool: pg.Pool): Promise<WaitingJob[]> {
  return read(pool, `select ${JOB} from jobs.job_common where ${OF_STREAMS}`)
}

/** Takes them out of the queue, all or those of a workspace, as workers would that run them all. */
export function takeSendJobs(pool: pg.Pool, workspaceId: string | null = null): Promise<WaitingJob[]> {
  const statement = `delete from jobs.job_common where ${OF_STREAMS} and ($1::text is null or group_id = $1) returning ${JOB}`
  return read(pool, statement, [workspaceId])
}

async function read(pool: pg.Pool, statement: string, values: unknown[] = []): Promise<WaitingJob[]> {
  const { rows } = await pool.query<{ jobId: string; payload: string; runAt: string | null }>(statement, values)
  const jobs = rows.map(({ jobId, payload, runAt }) => ({
    ...(JSON.parse(payload) as Omit<SendTurnJob, 'jobId'>),
    ...{ jobId, runAt: runAt ?? undefined },
  }))
  return jobs.sort((one, other) => one.slot - other.slot)
}
