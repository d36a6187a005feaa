import { Command } from 'commander'
import { type ListedMail, listMails, readMail } from '../modules/system-mail/read-mails.ts'
import { secretBox } from '../platform/crypto/secret-box.ts'
import { CommandError } from './command-error.ts'
import { listed } from './said.ts'
import { idShownBy, saying } from './saying.ts'

const SHOWN_MAX = 100

export function mailCommand(): Command {
  const command = new Command('mail').description('mail of this instance to people: invitations, password resets')
  saying(
    command.command('list').description('list the latest ones with what became of them, newest first'),
    async ({ pools }) =>
      listed(await listMails(pools.sql, SHOWN_MAX), {
        row: rowOf,
        empty: 'No invitation or password reset yet. For mail of workspaces: ./postroom message list <address>',
      }),
  )
  saying(
    command
      .command('show')
      .description('print one that was kept here or still waits; what was sent is not kept')
      .argument('<id>', 'the mail', idShownBy('mail list')),
    async ({ pools, keys }, { id }: { id: string }) => {
      const found = await readMail({ pool: pools.sql, secrets: secretBox(keys) }, id)
      if (found === undefined) throw new CommandError(`there is no mail ${id}`)
      const { mail, content } = found
      if (content === undefined) throw new CommandError(`mail ${id} is ${mail.state}: what it said is not kept`)
      return {
        text: `To:      ${mail.recipient}\nSubject: ${mail.subject}\nState:   ${mail.state}\n\n${content.text}`,
        json: { ...mail, text: content.text },
      }
    },
  )
  return command
}

function rowOf({ id, createdAt, kind, recipient, subject, state, attempts, error }: ListedMail) {
  return { id, time: createdAt, kind, to: recipient, subject, state, attempts, error }
}
