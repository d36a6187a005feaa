import type { Transaction } from '../db/transaction.ts'
import { insertJobs, type NewJob } from './insert-jobs.ts'
import type { JobKind } from './job-kind.ts'
import type { JobPayload } from './outcome.ts'

/** One of many jobs of a kind. The times are by the database's clock, and go before the kind's own. */
export type JobOf<P extends JobPayload> = {
  payload: P
  /** When it may run: a moment (RFC 3339), or from now on. */
  runAt?: string | undefined
  delayMs?: number | undefined
  priority?: number | undefined
  /** A UUID. Enqueueing it again while the job is there changes nothing. Not for kinds with a singleton key. */
  id?: string | undefined
}

/**
 * Puts a job into its queue as part of the caller's transaction: it exists when that commits, and one that is due then is
 * started at once. It runs at least once. An unknown queue fails the commit.
 */
export function enqueue<P extends JobPayload>(tx: Transaction, kind: JobKind<P>, payload: NoInfer<P>): Promise<void> {
  return enqueueAll(tx, kind, [{ payload }])
}

/** The same for many jobs of a kind, in one statement however many they are, and for one with a time of its own. */
export function enqueueAll<P extends JobPayload>(
  tx: Transaction,
  kind: JobKind<P>,
  jobs: readonly JobOf<NoInfer<P>>[],
): Promise<void> {
  return insertJobs(
    tx,
    jobs.map((job) => rowOf(kind, job)),
  )
}

function rowOf<P extends JobPayload>(kind: JobKind<P>, job: JobOf<P>): NewJob {
  const { payload, runAt } = job
  const delayMs = job.delayMs ?? (runAt === undefined ? kind.delayMs : undefined)
  const priority = job.priority ?? kind.priority
  const singletonKey = kind.singletonKey && `${kind.kind}/${kind.singletonKey(payload)}`
  const row = {
    queue: kind.queue,
    kind: kind.kind,
    payload,
    runAt,
    delayMs,
    priority,
    groupKey: kind.groupKey?.(payload),
  }
  return singletonKey === undefined ? { ...row, id: job.id } : { ...row, singletonKey }
}
