import { Command } from 'commander'
import { emailStatusOf } from '../modules/emails/email-status.ts'
import { explainMessage } from '../modules/emails/explain-message.ts'
import { listMessages } from '../modules/emails/list-messages.ts'
import { storedSender } from '../modules/mailbox/mailbox-integration.ts'
import type { ToldOrigin } from '../modules/sending/ledger/surface.ts'
import { secretBox } from '../platform/crypto/secret-box.ts'
import { missing } from './command-error.ts'
import { listed, tableOf } from './said.ts'
import { idShownBy, sayingIn } from './saying.ts'

const SHOWN_MAX = 100

export function messageCommand(): Command {
  const command = new Command('message').description('messages and what became of them')
  sayingIn(
    command
      .command('list')
      .description('show the last messages to an address, of broadcasts and single')
      .argument('<address>', 'whom they were to'),
    async ({ pools, caller }, { address: destination }: { address: string }) => {
      const page = { destination, limit: SHOWN_MAX }
      const { items } = await listMessages({ sql: pools.sql }, caller.workspaceId, page)
      const row = ({ id, status, reason, createdAt, ...origin }: (typeof items)[number]) => ({
        ...{ id, of: originOf(origin) },
        ...{ status, reason, created: createdAt },
      })
      return listed(items, { row, empty: 'No messages.' })
    },
  )
  sayingIn(
    command
      .command('explain')
      .description('tell why somebody did or did not get a message')
      .argument('<id>', 'the message', idShownBy('message list <address>')),
    async ({ pools, keys, config, caller: { workspaceId } }, { id }: { id: string }) => {
      const settings = { sql: pools.sql, secrets: secretBox(keys), isCopy: config.copy }
      const deps = { sql: pools.sql, sender: await storedSender(settings, workspaceId) }
      const told = await explainMessage(deps, workspaceId, id).catch(missing(`message ${id}`))
      const { state, ...message } = told
      const why = told.reason === null ? '' : ` (${told.reason})`
      const status = emailStatusOf(state)
      const about = `Message ${told.id} to ${told.destination || 'somebody erased'}, ${originOf(told)}: ${status}${why}`
      const known = told.findings.length === 0 ? 'Nothing more is known.' : tableOf(told.findings)
      return { text: `${about}\n${told.summary}\n\n${known}`, json: { ...message, status } }
    },
  )
  return command
}

function originOf({ surface, broadcastId, automationId }: Omit<ToldOrigin, 'purpose'>): string {
  const id = broadcastId ?? automationId
  return id === null ? surface : `${surface} ${id}`
}
