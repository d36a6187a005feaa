import type { Job, JobContext, JobHandler, JobPayload, Outcome } from './outcome.ts'

declare const PAYLOAD: unique symbol

/** Jobs of one sort: what is enqueued under it has its payload, and its handler gets the same. See `jobKind`. */
export type JobKind<P extends JobPayload> = KindOptions<P> & {
  /** Has the compiler tell kinds of different payloads apart; there is no such field. */
  readonly [PAYLOAD]?: (payload: P) => P
}

type KindOptions<P> = {
  /** Names the job in metrics and logs, and its handler's file. */
  readonly kind: string
  readonly queue: string
  /** Jobs of one group share a part of their queue's places, see `QueueOptions.groupShare`. */
  readonly groupKey?: (payload: P) => string
  /**
   * At most one job of the kind with this key waits and at most one runs. Enqueueing while one waits merges into it:
   * payload and priority stay, only an earlier time counts. Enqueueing while one runs makes the one that follows it.
   */
  readonly singletonKey?: (payload: P) => string
  /** Higher runs first; 0 when absent. */
  readonly priority?: number
  /** How long after it was enqueued it may run, by the database's clock; at once when absent. */
  readonly delayMs?: number
}

/** States a kind, once: `const SWEEP_TAG = jobKind<SweptTag>({ kind: 'sweep_tag', queue: 'default' })`. */
export function jobKind<P extends JobPayload>(options: KindOptions<P>): JobKind<P> {
  return options
}

type Handling<P extends JobPayload> = Omit<JobHandler, 'kind' | 'queue' | 'run' | 'everySeconds'> & {
  run(job: Job<P>, context: JobContext): Promise<Outcome>
}

/** The handler of a kind, for a module's `jobs`. Its payloads are those of `enqueue`, the only way into the queue. */
export function handlerOf<P extends JobPayload>({ kind, queue }: JobKind<P>, handling: Handling<P>): JobHandler {
  return { ...handling, kind, queue }
}
