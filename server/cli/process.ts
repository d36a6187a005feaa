import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { keeperOf } from '../platform/processes/kept-process.ts'
import { createLogger } from '../platform/telemetry/logger.ts'
import type { ProcessFailed, ProcessTask } from '../process-task.ts'
import { configOf, runProcess } from '../run-process.ts'
import { CommandError } from './command-error.ts'
import { explainError } from './explain-error.ts'
import { endSoon, exitInTime, secretsOf } from './start.ts'

/** One of the processes of a service, as `start` runs them. Nobody else does. */
export function processCommand(): Command {
  return new Command('process').description('one of the processes of a service; start runs them').action(async () => {
    const keeper = keeperOf(process)
    if (keeper === undefined) throw new CommandError('process is run by start alone; PROCESSES says how many there are')
    const task = (await keeper.task) as ProcessTask
    const config = configOf(readConfig(), task)
    const settings = { level: config.logLevel, format: task.logFormat, secrets: secretsOf(config) }
    const log = createLogger(settings).child({ process: task.name })
    void keeper.asksToStop.then(() => exitInTime(config, log).unref())
    try {
      await runProcess(config, log, { keeper, task })
    } catch (error) {
      const explained = explainError(error)
      await keeper.tell({ type: 'failed', message: explained ?? String(error) } satisfies ProcessFailed)
      if (explained === undefined) throw error
      process.exit(1)
    } finally {
      keeper.leave()
      endSoon()
    }
  })
}
