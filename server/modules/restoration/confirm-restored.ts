import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { releaseInstallation } from '../../platform/epoch/hold-installation.ts'
import { type Held, readInstallation } from '../../platform/epoch/installation.ts'
import { stopRestored } from '../broadcasts/run/stop-restored.ts'
import { settleRestored } from '../sending/ledger/settle-restored.ts'
import { keepRestoredMails } from '../system-mail/keep-restored-mails.ts'
import { type Doer, recordInstallationAct } from './record-installation-act.ts'

export type Confirmation = {
  /** Sends what was queued when the installation was held; otherwise its owners decide, as it may have been sent before. */
  sendsQueued: boolean
  by: Doer['by']
}

/** How much was taken out of the way before the installation went on. */
export type Confirmed = { messages: number; broadcasts: number; systemMails: number }

/**
 * Lets a restored installation go on: what was about to go out when it was held is put to its owners first, in steps that
 * a kill does not repeat. Undefined when it is not held since then any more.
 */
export async function goOn(pool: pg.Pool, heldSince: string, sendsQueued: boolean): Promise<Confirmed | undefined> {
  const stopped = sendsQueued ? NOTHING : await stopWhatWaits(pool, heldSince)
  const isReleased = await inTransaction(pool, ALL_WORKSPACES, (tx) => releaseInstallation(tx, heldSince))
  return isReleased ? stopped : undefined
}

const NOTHING: Confirmed = { messages: 0, broadcasts: 0, systemMails: 0 }

async function stopWhatWaits(pool: pg.Pool, since: string): Promise<Confirmed> {
  const broadcasts = await stopRestored(pool, since)
  const messages = await settleRestored(pool, since)
  return { messages, broadcasts, systemMails: await keepRestoredMails(pool, since) }
}

/** Records who let it go on. */
export async function recordConfirmation(
  tx: Transaction,
  held: Held,
  { sendsQueued, by }: Confirmation,
): Promise<void> {
  const diff = { held: { from: held.reason, to: null }, queued: { from: null, to: sendsQueued ? 'sent' : 'uncertain' } }
  await recordInstallationAct(tx, by, { action: 'installation.confirm_restored', diff })
}

/** The same at the word of the operator's command line, after all that had to be done before. Undefined when it is not held. */
export async function confirmRestored(pool: pg.Pool, confirmation: Confirmation): Promise<Confirmed | undefined> {
  const { held } = await readInstallation(pool)
  if (held === null) return undefined
  await inTransaction(pool, ALL_WORKSPACES, (tx) => recordConfirmation(tx, held, confirmation))
  return goOn(pool, held.since, confirmation.sendsQueued)
}
