import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../db/transaction.ts'
import type { Epoch, HeldReason } from './installation.ts'
import { lockInstallation } from './installation.ts'
import { judgeEpoch } from './judge-epoch.ts'
import { moveSequences, type Sequences } from './sequences.ts'

/** The state that is known from outside the database: of this process's own memory, or of the file. */
export type Known = { epoch: Epoch; sequences: Sequences }

const HERE = `system_identifier = (select system_identifier from pg_control_system()),
  database_oid = (select oid from pg_database where datname = current_database())`

/**
 * Settles what a database is that may not be the one that was known. One that was never started gets its name; one that
 * was restored or copied is held: from the commit on nothing goes out of it, no id that is out in the world is given
 * again, and it is in another epoch than the one it is a copy of. Any number of processes may do so at once.
 */
export function settleInstallation(pool: pg.Pool, known: Known | undefined): Promise<void> {
  return inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    const verdict = judgeEpoch(await lockInstallation(tx), known?.epoch)
    if (verdict === 'same') return
    if (verdict === 'new')
      await tx.query(`update installation set id = gen_random_uuid(), epoch_id = gen_random_uuid(), ${HERE}`)
    else await hold(tx, verdict, known)
  })
}

/** Holds an installation because somebody says so. False when it is held already. */
export function holdInstallation(pool: pg.Pool, reason: HeldReason, known?: Known): Promise<boolean> {
  return inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    if ((await lockInstallation(tx)).held !== null) return false
    await hold(tx, reason, known)
    return true
  })
}

async function hold(tx: Transaction, reason: HeldReason, known: Known | undefined): Promise<void> {
  const before = await moveSequences(tx, known?.sequences ?? {})
  await tx.query(
    `update installation set epoch = greatest(epoch, $1) + 1, epoch_id = gen_random_uuid(), held_since = now(),
       held_reason = $2, sequences = $3, ${HERE}`,
    [known?.epoch.epoch ?? 0, reason, before],
  )
}

/** Lets the installation go on. False when it is not held since then. */
export async function releaseInstallation(tx: Transaction, heldSince: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update installation set held_since = null, held_reason = null where held_since = $1',
    [heldSince],
  )
  return rowCount === 1
}

/** Notes that more was committed, for what is kept outside: the epoch's next mark; undefined in another epoch by now. */
export async function advanceMark(tx: Transaction, epochId: string): Promise<Epoch | undefined> {
  const { rows } = await tx.query<Epoch>({
    name: 'advance_mark',
    text: `update installation set mark = mark + 1, marked_at = now() where epoch_id = $1
      returning epoch, epoch_id as "epochId", mark`,
    values: [epochId],
  })
  return rows[0]
}
