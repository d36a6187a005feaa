import { Command } from 'commander'
import { enqueueSweep } from '../modules/personal-data/erase-contact.ts'
import { confirmRestored } from '../modules/restoration/confirm-restored.ts'
import { type Reapplied, reapplyJournal } from '../modules/restoration/reapply-journal.ts'
import { secretBox } from '../platform/crypto/secret-box.ts'
import { holdInstallation } from '../platform/epoch/hold-installation.ts'
import { type Held, readInstallation } from '../platform/epoch/installation.ts'
import { operatorActor } from './operator.ts'
import { type CommandContext, CommandError, withDatabase } from './with-database.ts'

const REASONS: Record<Held['reason'], string> = {
  cluster: 'the database is in another cluster than before',
  behind: 'the database does not know what it had committed',
  told: 'the operator said that the database was restored',
  copy: 'it is a copy, started with POSTROOM_COPY',
}

type Options = { status?: true; confirm?: true; sendQueued?: true }

export function restoredCommand(): Command {
  return new Command('restored')
    .description('say that the database was restored or copied, which holds all sending, or let it go on')
    .option('--status', 'only tell whether it is held, and why')
    .option('--confirm', 'let sending and deliveries go on')
    .option('--send-queued', 'with --confirm: also send what was queued; it may have been sent after the backup')
    .action((options: Options) => withDatabase((context) => carryOut(context, options)))
}

async function carryOut(context: CommandContext, { status, confirm, sendQueued }: Options): Promise<void> {
  if (sendQueued && !confirm) throw new CommandError('--send-queued goes with --confirm')
  if (confirm) return confirmHeld(context, sendQueued === true)
  const { sql } = context.pools
  if (!status && (await holdInstallation(sql, 'told'))) {
    console.log('Held. Ids are moved ahead of all that were given; nothing is sent or delivered until you')
    console.log('have looked and say "postroom restored --confirm".')
    return
  }
  const { held } = await readInstallation(sql)
  console.log(held ? `Held since ${held.since}: ${REASONS[held.reason]}.` : 'Not held.')
}

async function confirmHeld({ pools, keys, epoch }: CommandContext, sendsQueued: boolean): Promise<void> {
  const { id, held } = await readInstallation(pools.sql)
  if (held === null || id === null) throw new CommandError('it is not held')
  const deps = { sql: pools.sql, secrets: secretBox(keys), enqueueSweep }
  tellReapplied(await reapplyJournal(deps, epoch.directoryOf(id), id))
  const by = { actor: operatorActor(), requestId: null, ip: null, userAgent: null }
  const done = await confirmRestored(pools.pgx, { sendsQueued, by })
  if (done === undefined) throw new CommandError('it is not held')
  const { messages, broadcasts, systemMails } = done
  console.log('Sending and deliveries go on.')
  if (messages > 0) console.log(`${messages} messages that were queued are uncertain: their owners decide on them.`)
  if (broadcasts > 0) console.log(`${broadcasts} broadcasts are drafts again or paused: they may have been sent.`)
  if (systemMails > 0) console.log(`${systemMails} mails to people are kept: "postroom mail" shows them.`)
}

function tellReapplied({ erasures, suppressions, unsubscribes }: Reapplied): void {
  if (erasures + suppressions + unsubscribes === 0) return
  console.log(`Done again: ${erasures} erasures, ${unsubscribes} unsubscribes, ${suppressions} suppressions.`)
}
