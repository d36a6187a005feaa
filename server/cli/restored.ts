import { Command } from 'commander'
import { formsOfPeople } from '../modules/forms/forms-of-people.ts'
import { enqueueSweep } from '../modules/personal-data/erase-contact.ts'
import { confirmRestored } from '../modules/restoration/confirm-restored.ts'
import { reapplyJournal } from '../modules/restoration/reapply-journal.ts'
import { secretBox } from '../platform/crypto/secret-box.ts'
import { holdInstallation } from '../platform/epoch/hold-installation.ts'
import { type Held, readInstallation } from '../platform/epoch/installation.ts'
import { CommandError } from './command-error.ts'
import { operatorActor } from './operator.ts'
import type { Said } from './said.ts'
import { saying } from './saying.ts'
import type { CommandContext } from './with-database.ts'

const REASONS: Record<Held['reason'], string> = {
  cluster: 'the database is in another cluster than before',
  behind: 'the database does not know what it had committed',
  told: 'the operator said that the database was restored',
  copy: 'it is a copy, started with POSTROOM_COPY',
}

type Options = { status?: true; confirm?: true; sendQueued?: true }

export function restoredCommand(): Command {
  const command = new Command('restored')
    .description('say that the database was restored or copied, which holds all sending, or let it go on')
    .option('--status', 'only tell whether it is held, and why')
    .option('--confirm', 'let sending and deliveries go on')
    .option('--send-queued', 'with --confirm: also send what was queued; it may have been sent after the backup')
    .hook('preAction', (given) => {
      const { sendQueued, confirm } = given.opts<Options>()
      if (sendQueued && !confirm) given.error('error: --send-queued goes with --confirm')
    })
  return saying(command, (context, options: Options) =>
    options.confirm ? confirmHeld(context, options.sendQueued === true) : hold(context, options),
  )
}

async function hold({ pools: { sql } }: CommandContext, { status }: Options): Promise<Said> {
  const isNew = !status && (await holdInstallation(sql, 'told'))
  const { held } = await readInstallation(sql)
  if (!isNew) return { text: held ? `Held since ${held.since}: ${REASONS[held.reason]}.` : 'Not held.', json: { held } }
  const text =
    'Held. Ids are moved ahead of all that were given; nothing is sent or delivered until you\n' +
    'have looked and say "./postroom restored --confirm".'
  return { text, json: { held } }
}

/** Lets a held installation go on, after what it has forgotten of people's wishes was done again. */
export async function confirmHeld(
  { pools, keys, epoch }: Pick<CommandContext, 'pools' | 'keys' | 'epoch'>,
  sendsQueued: boolean,
): Promise<Said> {
  const { id, held } = await readInstallation(pools.sql)
  if (held === null || id === null) throw new CommandError('it is not held')
  const secrets = secretBox(keys)
  const deps = { sql: pools.sql, secrets, enqueueSweep, forms: formsOfPeople({ keys, secrets }) }
  const reapplied = await reapplyJournal(deps, epoch.directoryOf(id), id)
  const by = { actor: operatorActor(), requestId: null, ip: null, userAgent: null }
  const done = await confirmRestored(pools.pgx, { sendsQueued, by })
  if (done === undefined) throw new CommandError('it is not held')
  const { messages, broadcasts, systemMails } = done
  const { erasures, suppressions, unsubscribes } = reapplied
  const lines: [tells: boolean, text: string][] = [
    [
      erasures + suppressions + unsubscribes > 0,
      `Done again: ${erasures} erasures, ${unsubscribes} unsubscribes, ${suppressions} suppressions.`,
    ],
    [true, 'Sending and deliveries go on.'],
    [messages > 0, `${messages} messages that were queued are uncertain: their owners decide on them.`],
    [broadcasts > 0, `${broadcasts} broadcasts are drafts again or paused: they may have been sent.`],
    [systemMails > 0, `${systemMails} mails to people are kept: "./postroom mail list" shows them.`],
  ]
  const text = lines.flatMap(([tells, line]) => (tells ? line : [])).join('\n')
  return { text, json: { held: null, reapplied, ...done } }
}
