import { observe } from './observe.ts'
import type { Opened } from './open-database.ts'
import { armCrashPoint } from './platform/crash-point.ts'
import { furnish, openMailbox, openParts, prepareDatabase, serveMetrics, startRole } from './start-parts.ts'
import type { Start, Started } from './start-steps.ts'
import { watchEpoch } from './watch-epoch.ts'

/** Starts what the role needs in this process, on a database that is open. */
export async function startAlone(start: Start, opened: Opened): Promise<Started> {
  if (start.config.crashPoint) armCrashPoint(start.config.crashPoint)
  const { database, lock, version } = await prepareDatabase(start, opened)
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
