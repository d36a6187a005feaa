import type { Config } from './config.ts'
import { type Opened, openDatabase } from './open-database.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import { type Start, type Started, type Stoppable, startInSteps, startOnceAnswered } from './start-steps.ts'

export type Running = Started & Stoppable

/**
 * Starts the service: database, schema, first workspace, then what its role needs, in this process or in several. All but the
 * first is loaded while the embedded PostgreSQL starts, which takes about as long.
 */
export function start(config: Config, log: Logger, signal?: AbortSignal): Promise<Running> {
  return startInSteps({ config, log, signal }, async (start) => {
    let loading: ReturnType<typeof loadService> | undefined
    const load = () => {
      loading ??= loadService(config)
      // A start that ends before it comes to that has failed for its own reason.
      loading.catch(() => undefined)
      return loading
    }
    const opened = await openDatabase(start, load)
    const startService = await load()
    return startOnceAnswered(start, (again) =>
      startService(again, opened).catch(async (error: unknown) => {
        throw await opened.blame(error)
      }),
    )
  })
}

async function loadService({ processes }: Config): Promise<(start: Start, opened: Opened) => Promise<Started>> {
  if (processes === 1) return (await import('./start-alone.ts')).startAlone
  return (await import('./processes.ts')).startProcesses
}
