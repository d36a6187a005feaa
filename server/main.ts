import type { Config } from './config.ts'
import { observe } from './observe.ts'
import { armCrashPoint } from './platform/crash-point.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import { startProcesses } from './processes.ts'
import {
  furnish,
  openMailbox,
  openParts,
  prepareDatabase,
  type Start,
  type Started,
  type Stoppable,
  serveMetrics,
  startInSteps,
  startRole,
} from './start-parts.ts'
import { watchEpoch } from './watch-epoch.ts'

export type Running = Started & Stoppable

/** Starts the service: database, schema, first workspace, then what its role needs, in this process or in several. */
export function start(config: Config, log: Logger, signal?: AbortSignal): Promise<Running> {
  return startInSteps({ config, log, signal }, config.processes === 1 ? startAlone : startProcesses)
}

async function startAlone(start: Start): Promise<Started> {
  if (start.config.crashPoint) armCrashPoint(start.config.crashPoint)
  const { database, lock, version } = await prepareDatabase(start)
  const parts = await openParts(start, database, {
    observe,
    mailbox: (pools, outages) => openMailbox(start, pools, outages),
  })
  await watchEpoch(start, parts, { notes: true })
  const credentials = await furnish(start, parts, lock)
  const address = await startRole(start, parts)
  const metricsAddress = await serveMetrics(start, parts, parts.metrics)
  await lock?.publish(address ? { address: `http://localhost:${address.port}` } : {})
  return { address, metricsAddress, credentials, database: version }
}
