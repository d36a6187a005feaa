import { Command, InvalidArgumentError, Option } from 'commander'
import { consumerGroups } from '../compose.ts'
import { parkedRows, type Replay, replayParked } from '../platform/outbox/parked.ts'
import { listed } from './said.ts'
import { saying } from './saying.ts'

const PARKED_SHOWN_MAX = 1_000
const GROUPS = ['persist', 'automations', 'webhooks', 'suppression']

export function outboxCommand(): Command {
  const command = new Command('outbox').description('events that a consumer group could not handle')
  saying(
    command.command('parked').description('list parked events with their errors, oldest first'),
    async ({ pools }) => listed(await parkedRows(pools.sql, PARKED_SHOWN_MAX), { empty: 'Nothing is parked.' }),
  )
  saying(
    command
      .command('replay')
      .description('hand parked events to their groups again; what fails stays parked')
      .addOption(new Option('--group <name>', 'only of this group').choices(GROUPS))
      .option('--position <number>', 'only this position', position),
    async (context, options: { group?: string; position?: string }) => {
      const replays = await replayParked(context.pools.sql, consumerGroups(context), options)
      return { ...listed(replays, { empty: 'Nothing is parked.' }), fault: faultOf(replays) }
    },
  )
  return command
}

function faultOf(replays: readonly Replay[]): string | undefined {
  const has = (outcome: Replay['outcome']) => replays.some((one) => one.outcome === outcome)
  if (has('failed')) return 'some events failed again'
  return has('waits') ? 'some events wait for another group: replay that' : undefined
}

function position(value: string): string {
  if (/^\d{1,18}$/.test(value)) return value
  throw new InvalidArgumentError('A position is a number: "./postroom outbox parked" shows them.')
}
