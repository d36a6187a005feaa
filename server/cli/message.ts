import { Command } from 'commander'
import { emailStatusOf } from '../modules/emails/email-status.ts'
import { explainMessage } from '../modules/emails/explain-message.ts'
import { listMessages } from '../modules/emails/list-messages.ts'
import { storedSender } from '../modules/mailbox/mailbox-integration.ts'
import type { ToldOrigin } from '../modules/sending/ledger/surface.ts'
import { secretBox } from '../platform/crypto/secret-box.ts'
import { CommandError, missing, printTable, withDatabase, workspaceIdOf } from './with-database.ts'

const SHOWN_MAX = 100

export function messageCommand(): Command {
  const command = new Command('message').description('messages and what became of them')
  command
    .command('list <address>')
    .description('show the last messages to an address, of broadcasts and single')
    .option('--workspace <slug>', 'the workspace', 'default')
    .action((destination: string, options: { workspace: string }) =>
      withDatabase(async ({ pools }) => {
        const workspaceId = await workspaceIdOf(pools.sql, options.workspace)
        const { items } = await listMessages({ sql: pools.sql }, workspaceId, { destination, limit: SHOWN_MAX })
        const rows = items.map(({ id, status, reason, createdAt, ...origin }) => ({
          ...{ id, of: originOf(origin) },
          ...{ status, reason, created: createdAt },
        }))
        printTable(rows, 'No messages.')
      }),
    )
  command
    .command('explain <id>')
    .description('tell why somebody did or did not get a message')
    .option('--workspace <slug>', 'the workspace', 'default')
    .action((id: string, options: { workspace: string }) =>
      withDatabase(async ({ pools, keys, config }) => {
        if (!/^\d{1,18}$/.test(id)) throw new CommandError(`not an id: ${id}`)
        const workspaceId = await workspaceIdOf(pools.sql, options.workspace)
        const sender = await storedSender(
          { sql: pools.sql, secrets: secretBox(keys), isCopy: config.copy },
          workspaceId,
        )
        const message = await explainMessage({ sql: pools.sql, sender }, workspaceId, id).catch(
          missing(`message ${id}`),
        )
        const why = message.reason === null ? '' : ` (${message.reason})`
        const status = emailStatusOf(message.state)
        console.log(
          `Message ${message.id} to ${message.destination || 'somebody erased'}, ${originOf(message)}: ${status}${why}`,
        )
        console.log(`${message.summary}\n`)
        printTable(message.findings, 'Nothing more is known.')
      }),
    )
  return command
}

function originOf({ surface, broadcastId, automationId }: Omit<ToldOrigin, 'purpose'>): string {
  const id = broadcastId ?? automationId
  return id === null ? surface : `${surface} ${id}`
}
