import { Command } from 'commander'
import { consumerGroups } from '../compose.ts'
import { parkedRows, replayParked } from '../platform/outbox/parked.ts'
import { CommandError, printTable, withDatabase } from './with-database.ts'

const PARKED_SHOWN_MAX = 1_000

export function outboxCommand(): Command {
  const command = new Command('outbox').description('events that a consumer group could not handle')
  command
    .command('parked')
    .description('list parked events with their errors, oldest first')
    .action(() =>
      withDatabase(async ({ pools }) => {
        printTable(await parkedRows(pools.sql, PARKED_SHOWN_MAX), 'Nothing is parked.')
      }),
    )
  command
    .command('replay')
    .description('hand parked events to their groups again; what fails stays parked')
    .option('--group <name>', 'only of this group: persist, automations, webhooks or suppression')
    .option('--position <number>', 'only this position')
    .action((options: { group?: string; position?: string }) =>
      withDatabase(async (context) => {
        if (options.position !== undefined && !/^\d{1,18}$/.test(options.position)) {
          throw new CommandError(`--position must be a number, not "${options.position}"`)
        }
        const groups = consumerGroups(context)
        const names = groups.map(({ group }) => group)
        if (options.group !== undefined && !names.includes(options.group)) {
          throw new CommandError(`--group must be one of ${names.join(', ')}, not "${options.group}"`)
        }
        const replays = await replayParked(context.pools.sql, groups, options)
        printTable(replays, 'Nothing is parked.')
        if (replays.some((replay) => replay.outcome === 'failed')) throw new CommandError('some events failed again')
      }),
    )
  return command
}
