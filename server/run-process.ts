import type { Config } from './config.ts'
import { observePools } from './observe.ts'
import { armCrashPoint } from './platform/crash-point.ts'
import type { Keeper } from './platform/processes/kept-process.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import type { ProcessMetrics, ProcessReady, ProcessStopped, ProcessTask } from './process-task.ts'
import { openParts, startRole } from './start-parts.ts'
import { type Start, startInSteps, startOnceAnswered } from './start-steps.ts'
import { watchEpoch } from './watch-epoch.ts'

/** The settings, as they are for one of several processes. */
export function configOf(config: Config, { role, connections }: ProcessTask): Config {
  return {
    ...config,
    ...{ role, processes: 1, metricsAddress: undefined },
    ...{ dbMaxOpenConns: connections.sql, pgxMaxConns: connections.pgx },
  }
}

/** Runs one process of a service until it is asked to stop: the database is there, and what the first one has furnished. */
export async function runProcess(
  config: Config,
  log: Logger,
  { keeper, task }: { keeper: Keeper; task: ProcessTask },
): Promise<void> {
  if (config.crashPoint) armCrashPoint(config.crashPoint)
  const steps = async (start: Start) => {
    const mailbox = async () => task.catcher
    const parts = await openParts(start, task.database, { observe: observePools, mailbox })
    await watchEpoch(start, parts, { notes: false })
    return { address: await startRole(start, parts), metrics: parts.metrics }
  }
  const running = await startInSteps({ config, log, signal: undefined }, (start) => startOnceAnswered(start, steps))
  const { address, metrics } = running
  keeper.answer('metrics', async (): Promise<ProcessMetrics> => ({ type: 'metrics', text: await metrics.scrape() }))
  await keeper.tell({ type: 'ready', address } satisfies ProcessReady)
  await keeper.asksToStop
  // They are gone with the process; what is counted while it stops is little.
  const counted = await metrics.scrape()
  const { unrecorded } = await running.stop()
  await keeper.tell({ type: 'stopped', unrecorded, metrics: counted } satisfies ProcessStopped)
  log.info('stopped')
}
