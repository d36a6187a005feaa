import { Command, InvalidArgumentError, Option } from 'commander'
import { withBroadcastDeps } from '../compose-sending.ts'
import { readBroadcasts } from '../modules/broadcasts/read-broadcasts.ts'
import { explainBroadcast } from '../modules/broadcasts/report/explain-broadcast.ts'
import { sendBroadcast } from '../modules/broadcasts/run/start-broadcast.ts'
import { cancelBroadcast, pauseBroadcast, resumeBroadcast } from '../modules/broadcasts/run/steer-broadcast.ts'
import {
  BROADCAST_STATUSES,
  type BroadcastListItem,
  type BroadcastStatus,
  type BroadcastSummary,
} from '../modules/broadcasts/schemas.ts'
import { secretBox } from '../platform/crypto/secret-box.ts'
import { missing } from './command-error.ts'
import { listed, type Said, tableOf } from './said.ts'
import { idShownBy, sayingIn, type WorkspaceContext } from './saying.ts'

const SHOWN_MAX = 100

type OneBroadcast = { id: string }

export function broadcastCommand(): Command {
  const command = new Command('broadcast').description('broadcasts: what becomes of them, and their start and stop')
  const one = (name: string, description: string) =>
    command.command(name).description(description).argument('<id>', 'the broadcast', idShownBy('broadcast list'))

  sayingIn(
    command
      .command('list')
      .description('list the newest ones with the fates of their recipients')
      .addOption(new Option('--status <status>', 'only these').choices(BROADCAST_STATUSES)),
    listBroadcasts,
  )
  sayingIn(
    one('send', 'send a draft now, or one that is scheduled; what keeps it from being sent is said').option(
      '--expect <count>',
      'only if about so many people get it, within 1 % and 10: the number somebody was told',
      count,
    ),
    sendOne,
  )
  sayingIn(one('pause', 'let nothing more of it go out'), steering(pauseBroadcast))
  sayingIn(one('resume', 'go on where it was paused'), steering(resumeBroadcast))
  sayingIn(one('cancel', 'give it up for good: whoever was not written to yet is skipped'), steering(cancelBroadcast))
  sayingIn(one('explain', 'tell why a broadcast does not move, or not faster'), explainOne)
  return command
}

async function listBroadcasts({ pools, caller }: WorkspaceContext, filter: { status?: BroadcastStatus }) {
  const { items, total } = await readBroadcasts(pools.sql, caller.workspaceId, {
    filter: filter.status === undefined ? {} : { status: filter.status },
    sort: '-id',
    page: { page: 1, pageSize: SHOWN_MAX },
  })
  return listed(items, { row: rowOf, empty: 'No broadcasts.', total })
}

function rowOf({ id, name, status, counts, scheduledAt, startedAt, sentAt }: BroadcastListItem) {
  const { recipientsTotal: recipients, acceptedCount, failedCount, uncertainCount, pendingCount } = counts
  const { suppressedCount, skippedCount } = counts
  return {
    ...{ id, name, status, recipients, accepted: acceptedCount, failed: failedCount, uncertain: uncertainCount },
    ...{
      'not mailed': suppressedCount + skippedCount,
      pending: pendingCount,
      time: sentAt ?? startedAt ?? scheduledAt,
    },
  }
}

function sendOne(context: WorkspaceContext, { id, expect }: OneBroadcast & { expect?: number }): Promise<Said> {
  return withBroadcastDeps(context, context.caller.workspaceId, async (deps) => {
    const body = expect === undefined ? {} : { expectedCount: expect }
    return saidOf(await sendBroadcast(deps, context.caller, { id, body }).catch(missing(`broadcast ${id}`)))
  })
}

function steering(steer: typeof pauseBroadcast) {
  return async ({ pools, caller }: WorkspaceContext, { id }: OneBroadcast) =>
    saidOf(await steer({ sql: pools.sql }, caller, id).catch(missing(`broadcast ${id}`)))
}

function saidOf(broadcast: BroadcastSummary): Said {
  return { text: `${broadcast.name}: ${broadcast.status}`, json: broadcast }
}

async function explainOne({ pools, keys, caller }: WorkspaceContext, { id }: OneBroadcast): Promise<Said> {
  const deps = { sql: pools.sql, secrets: secretBox(keys) }
  const { workspaceId } = caller
  const told = await explainBroadcast(deps, { workspaceId, id }).catch(missing(`broadcast ${id}`))
  const { status, recipientsTotal, pendingCount, handingCount, summary, findings } = told
  const counted = `${recipientsTotal} recipients, ${pendingCount} pending, ${handingCount} under way`
  const known = findings.length === 0 ? 'Nothing more is known.' : tableOf(findings)
  return { text: `Broadcast ${id}: ${status}, ${counted}\n${summary}\n\n${known}`, json: told }
}

function count(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('It must be a number of people.')
}
