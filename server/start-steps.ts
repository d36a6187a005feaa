import type { Config } from './config.ts'
import type { Credentials } from './modules/workspaces/bootstrap.ts'
import { growHeapSlowly } from './platform/slow-heap-growth.ts'
import type { Logger } from './platform/telemetry/logger.ts'

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
    const started = await steps({ config, log, signal, undo, onUnrecorded })
    growHeapSlowly()
    return { ...started, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
