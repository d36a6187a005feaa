import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { Credentials } from './modules/workspaces/bootstrap.ts'
import { UnsuitableDatabaseError } from './platform/db/check-database.ts'
import { databaseOutcome, isNobodyThere, outageReason } from './platform/db/errors.ts'
import { isShort } from './platform/db/write-room.ts'
import { PostgresStartError } from './platform/postgres/start-error.ts'
import { growHeapSlowly } from './platform/slow-heap-growth.ts'
import type { Logger } from './platform/telemetry/logger.ts'

/** For how long a start begins again that the database did not answer, and after what pause. */
const ANSWERS_WITHIN_MS = 60_000
const PAUSE_MS = 1_000

export type Address = { host: string; port: number }

export type Started = {
  /** Where it listens; undefined for a pure worker. */
  address: Address | undefined
  metricsAddress: Address | undefined
  /** Credentials that the first start has made; undefined on every later one. */
  credentials: Credentials | undefined
  database: string
}

/** How many results the database did not take: what they are of is done again by another process, or decided on by a person. */
export type Stopped = { unrecorded: number }
export type Stoppable = {
  /** Finishes or releases what is under way and stops everything, in the opposite order of the start. */
  stop(): Promise<Stopped>
}

/** The start under way: what each step has to have undone, and what ends it early. */
export type Start = {
  config: Config
  log: Logger
  signal: AbortSignal | undefined
  undo: (() => Promise<unknown>)[]
  onUnrecorded: (results: number) => void
}

/** Starts in steps. When one fails, what was started before it is stopped again, and the error is thrown. */
export async function startInSteps<T extends object>(
  { config, log, signal }: Pick<Start, 'config' | 'log' | 'signal'>,
  steps: (start: Start) => Promise<T>,
): Promise<T & Stoppable> {
  const undo: Start['undo'] = []
  const stopped: Stopped = { unrecorded: 0 }
  const onUnrecorded = (results: number) => {
    stopped.unrecorded += results
  }
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step().catch((error: unknown) => log.error(error))
    return stopped
  }
  try {
    return { ...(await steps({ config, log, signal, undo, onUnrecorded })), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * The steps of a start that need the database: where it is full, slow, going up or down, they are undone and begun again, for as
 * long as `withinMs`, which the log says each time. A full disk is told at once, which waiting does not mend, and an address that
 * nobody answers at: it may be a wrong one.
 */
export async function startOnceAnswered<T extends object>(
  start: Start,
  steps: (start: Start) => Promise<T>,
  { withinMs = ANSWERS_WITHIN_MS, pauseMs = PAUSE_MS } = {},
): Promise<T> {
  const { log, signal } = start
  const beganMs = performance.now()
  for (let isFirst = true; ; isFirst = false) {
    try {
      const started = await startInSteps(start, steps)
      start.undo.push(async () => start.onUnrecorded((await started.stop()).unrecorded))
      growHeapSlowly()
      return started
    } catch (error) {
      const tookMs = performance.now() - beganMs
      if (signal?.aborted || tookMs > withinMs || !mayAnswerLater(error, isFirst)) throw error
      log.warn(
        { reason: outageReason(error) },
        'the database does not answer, or takes no writes; the start begins again',
      )
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

function mayAnswerLater(error: unknown, isFirst: boolean): boolean {
  if (isFirst && error instanceof UnsuitableDatabaseError && isNobodyThere(error.cause)) return false
  return databaseOutcome(error) !== undefined && !(error instanceof PostgresStartError || isShort(error))
}
