import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { JobHandler } from './outcome.ts'
import { type Attempt, type QueueOptions, QueueWorker } from './queue-worker.ts'
import { registerSchedules } from './schedule.ts'
import { createSupervisor } from './schema.ts'
import { FailureStreak, type JobLoop, type OnTrouble } from './trouble.ts'
import { isWakeOf, type Waker } from './wake.ts'

const SUPERVISOR_STOP_MS = 2_000

export type WorkersOptions = {
  pool: pg.Pool
  waker: Waker
  queues: readonly QueueOptions[]
  /** Kinds of queues that are not among `queues` are not run here. */
  kinds: readonly JobHandler[]
  /** Whether this is a process of a copy, which runs nothing that reaches further than the mailbox. */
  isCopy?: boolean
  /** Called after each run whose result counts; a snoozed one is `ok`. */
  onAttempt: (attempt: Attempt) => void
  onTrouble: OnTrouble
}

export type Workers = {
  /** Claims nothing more, lets running jobs end for up to `graceMs`, and gives the rest back to other processes at once. */
  stop(graceMs: number): Promise<void>
}

/** Runs jobs until stopped, whatever happens to the database meanwhile. The schema must be migrated. */
export function startWorkers(options: WorkersOptions): Workers {
  const { pool, waker, onAttempt, onTrouble } = options
  refuseTwoOfAKind(options.kinds)
  const stopping = new AbortController()
  const queues = options.queues.map((queue) => ({
    name: queue.name,
    worker: new QueueWorker(
      { pool, kinds: options.kinds, isCopy: options.isCopy === true, onAttempt, onTrouble },
      queue,
    ),
  }))
  const unsubscribe = waker.onWake((signal) => {
    for (const { name, worker } of queues) if (isWakeOf(name, signal)) worker.wake()
  })
  const listening = waker.listen(onTrouble)
  const supervising = supervise(pool, stopping.signal, onTrouble)
  const names = new Set(options.queues.map(({ name }) => name))
  const schedules = options.kinds.filter((kind) => kind.everySeconds !== undefined && names.has(kind.queue))
  const scheduling = untilItWorks(() => registerSchedules(pool, schedules), {
    streak: streakOf('schedule', onTrouble),
    signal: stopping.signal,
  })

  return {
    async stop(graceMs) {
      stopping.abort()
      unsubscribe()
      await Promise.all([...queues.map(({ worker }) => worker.stop(graceMs)), scheduling, listening.close()])
      // Its pass may be in a long statement of a database that is away; what it leaves another process takes up.
      await Promise.race([supervising, delay(SUPERVISOR_STOP_MS, undefined, { ref: false })])
    },
  }
}

function refuseTwoOfAKind(kinds: readonly JobHandler[]): void {
  const seen = new Set<string>()
  for (const { kind, queue } of kinds) {
    const name = `${queue}/${kind}`
    if (seen.has(name)) throw new Error(`two handlers for the job kind ${name}`)
    seen.add(name)
  }
}

async function supervise(pool: pg.Pool, signal: AbortSignal, onTrouble: OnTrouble): Promise<void> {
  const supervisor = createSupervisor(pool)
  const streak = streakOf('supervise', onTrouble)
  supervisor.on('error', (error) => streak.failed(error))
  await untilItWorks(() => supervisor.start(), { streak, signal })
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await supervisor.stop({ graceful: false })
}

function streakOf(loop: JobLoop, onTrouble: OnTrouble): FailureStreak {
  return new FailureStreak({ loop }, onTrouble)
}

type Persistence = { streak: FailureStreak; signal: AbortSignal }

async function untilItWorks(work: () => Promise<unknown>, { streak, signal }: Persistence): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
      streak.worked()
      return
    } catch (error) {
      await delay(streak.failed(error).retryMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
