import { Command } from 'commander'
import { listMails, readMail } from '../modules/system-mail/read-mails.ts'
import { secretBox } from '../platform/crypto/secret-box.ts'
import { CommandError, printTable, withDatabase } from './with-database.ts'

const SHOWN_MAX = 100

export function mailCommand(): Command {
  const command = new Command('mail').description('mail of this instance to people: invitations, password resets')
  command
    .command('list')
    .description('list the latest ones with what became of them, newest first')
    .action(() =>
      withDatabase(async ({ pools }) => {
        const mails = await listMails(pools.sql, SHOWN_MAX)
        const rows = mails.map(({ id, createdAt, kind, recipient, subject, state, attempts, error }) => {
          return { id, time: createdAt, kind, to: recipient, subject, state, attempts, error }
        })
        printTable(rows, 'No mail yet.')
      }),
    )
  command
    .command('show <id>')
    .description('print one that was kept here or still waits; what was sent is not kept')
    .action((id: string) =>
      withDatabase(async ({ pools, keys }) => {
        if (!/^\d{1,18}$/.test(id)) throw new CommandError(`not an id: ${id} (see "postroom mail list")`)
        const found = await readMail({ pool: pools.sql, secrets: secretBox(keys) }, id)
        if (found === undefined) throw new CommandError(`there is no mail ${id}`)
        const { mail, content } = found
        if (content === undefined) throw new CommandError(`mail ${id} is ${mail.state}: what it said is not kept`)
        console.log(`To:      ${mail.recipient}\nSubject: ${mail.subject}\nState:   ${mail.state}\n\n${content.text}`)
      }),
    )
  return command
}
