import { formsOfPeople } from './modules/forms/forms-of-people.ts'
import { enqueueSweep } from './modules/personal-data/erase-contact.ts'
import { JournalKeeper } from './modules/restoration/keep-journal.ts'
import type { Reapplied } from './modules/restoration/reapply-journal.ts'
import { secretBox } from './platform/crypto/secret-box.ts'
import { databaseOutcome } from './platform/db/errors.ts'
import { holdInstallation } from './platform/epoch/hold-installation.ts'
import type { Held } from './platform/epoch/installation.ts'
import { type KeepDeps, keepEpoch } from './platform/epoch/keep-epoch.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import type { Parts } from './start-parts.ts'
import type { Start } from './start-steps.ts'
import { JournalError } from './try-journal.ts'

const KEPT = {
  name: 'postroom_journal_kept',
  help: 'Whether the place outside of the database took the journal when it was last written.',
}

/**
 * Keeps an eye on the epoch of the installation for as long as this process runs. One process of a start notes it, and the
 * journal, outside of the database. A copy is held before anything of it is at work, so that it stays so when it is started
 * as if it were none.
 */
export async function watchEpoch(
  start: Start,
  parts: Pick<Parts, 'pools' | 'epoch' | 'keys' | 'metrics'>,
  { notes }: { notes: boolean },
): Promise<void> {
  const { config, undo } = start
  if (config.copy) await holdInstallation(parts.pools.sql, 'copy')
  const keeper = await keep(start, parts, notes)
  undo.push(() => keeper.stop())
}

async function keep(
  { config, log, undo }: Start,
  { pools, epoch, keys, metrics }: Pick<Parts, 'pools' | 'epoch' | 'keys' | 'metrics'>,
  notes: boolean,
) {
  let isKept = true
  const { sql, pgx: pool } = pools
  const secrets = secretBox(keys)
  const journal = new JournalKeeper({
    ...{ sql, pool, secrets, enqueueSweep, forms: formsOfPeople({ keys, secrets }) },
    directoryOf: (id) => epoch.directoryOf(id),
    onReapplied: (reapplied) => tellReapplied(log, reapplied),
  })
  undo.push(() => journal.close())
  const keeping: KeepDeps = {
    ...{ pool, guard: epoch, notes },
    ...(notes ? { follow: (found) => journal.follow(found) } : {}),
    onHeld: (held) => tellHeld(log, held, config.copy),
    onKept: (fault) => {
      isKept = fault === undefined
      tellKept(log, config.journal.directory, fault)
    },
  }
  try {
    const keeper = await keepEpoch(keeping)
    if (notes) metrics.gauge(KEPT, () => [{ value: Number(isKept) }])
    return keeper
  } catch (error) {
    if (!notes || databaseOutcome(error) !== undefined) throw error
    const { directory, isNeeded } = config.journal
    if (isNeeded) throw new JournalError(directory, error)
    log.warn(
      { err: error, directory },
      'without JOURNAL_DIR a restore is noticed only when it is said, and undoes erasures',
    )
    return keepEpoch({ ...keeping, notes: false, follow: (found) => journal.catchUp(found) })
  }
}

function tellReapplied(log: Logger, reapplied: Reapplied): void {
  log.warn(reapplied, 'what the journal knows was done again on the restored database')
}

/** A file that cannot be written does not say where it is. */
function tellKept(log: Logger, directory: string, fault: unknown): void {
  if (fault === undefined) {
    log.info({ directory }, 'the journal is kept outside of the database again')
  } else {
    const { message: reason } = new JournalError(directory, fault)
    log.error({ err: fault, reason }, 'the journal cannot be kept outside of the database')
  }
}

function tellHeld(log: Logger, held: Held | null, isCopy: boolean): void {
  if (isCopy) log.warn('this is a copy: mail stays in the mailbox, and no webhook is delivered')
  else if (held)
    log.error(held, 'nothing is sent or delivered: the database was restored or copied; see "./postroom restored"')
  else log.debug('sending and deliveries go on')
}
