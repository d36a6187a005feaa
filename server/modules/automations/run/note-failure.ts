import type pg from 'pg'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { writeVerdicts } from '../entry/entry-ledger.ts'
import type { RunTurn } from '../run-lanes.ts'
import { contactsInside, dueRows, firstOfEach, holdAutomation, type QueueRow } from './claim-rows.ts'

/** How often a run is tried at its node before it is parked there. */
export const ATTEMPTS_MAX = 5
/** Of a parked run what ends it is tried after 1, 2, 4 seconds and so on, at last once in about half an hour. */
const ATTEMPTS_COUNTED_MAX = 16
const ERROR_CHARS_MAX = 2_000

export type Failure = { error: unknown; through: string; passing: readonly string[] }

export type Noted = { contactId: string; parkedAt: string | null }
const NOBODY: Noted = { contactId: '0', parkedAt: null }

/** Entries that failed in this process, by automation and event: a run that is not there yet has no row to count in. */
const failedEntries = new Map<string, number>()
const FAILED_ENTRIES_MAX = 10_000

/**
 * Notes that the row due longest, which was tried alone, has failed: its run is parked at its node after ATTEMPTS_MAX times,
 * and whoever wanted to come in is refused. Answers its contact, for the turn to pass over, and the node it is parked at now.
 */
export async function noteFailure(pool: pg.Pool, turn: RunTurn, { error, through, passing }: Failure): Promise<Noted> {
  return inTransaction(pool, turn.workspaceId, async (tx) => {
    const state = await holdAutomation(tx, turn)
    if (!state) return NOBODY
    // One who cannot leave a stopped automation is passed over by this turn, and tried again by the next.
    if (state.isStopped) {
      const [contactId = '0'] = await contactsInside(tx, turn, { limit: 1, passing })
      return { contactId, parkedAt: null }
    }
    const due = await dueRows(tx, turn, { through, isPaused: state.isPaused, limit: 1, passing })
    const [row] = firstOfEach(due, false)
    if (!row) return NOBODY
    if (row.kind !== 'entry') return { contactId: row.contactId, parkedAt: await noteRun(tx, turn, { row, error }) }
    await noteEntry(tx, turn, row)
    return { contactId: row.contactId, parkedAt: null }
  })
}

async function noteRun(
  tx: Transaction,
  turn: RunTurn,
  { row, error }: { row: QueueRow; error: unknown },
): Promise<string | null> {
  const message = (error instanceof Error ? error.message : String(error))
    .replaceAll('\0', '')
    .slice(0, ERROR_CHARS_MAX)
  const { rows } = await tx.query<{ parkedAt: string | null }>({
    name: 'note_failed_run',
    text: `with tried as (
        update runs set attempts = least(attempts + 1, ${ATTEMPTS_COUNTED_MAX}), error = $5,
          state = case when attempts + 1 >= $6 then 'parked' else state end,
          parked_at = case when attempts + 1 = $6 then now() else parked_at end
        where workspace_id = $1 and id = $4 returning node, state, attempts
      ), put_off as (
        update run_queue set due_at = postroom_clock() + interval '1 second' * 2 ^ (tried.attempts - $6) from tried
        where workspace_id = $1 and automation_id = $2 and contact_id = $3 and run_id = $4 and kind = $7 and position = $8
          and visit = $9 and kind not in ('timer', 'wait') and tried.state = 'parked'
      ), gone as (
        delete from run_queue where workspace_id = $1 and automation_id = $2 and contact_id = $3 and run_id = $4
          and kind in ('timer', 'wait') and (select state from tried) = 'parked'
      )
      select case when attempts = $6 then node end as "parkedAt" from tried`,
    values: [
      ...[turn.workspaceId, turn.automationId, row.contactId, row.runId, message, ATTEMPTS_MAX],
      ...[row.kind, row.position, row.visit],
    ],
  })
  return rows[0]?.parkedAt ?? null
}

async function noteEntry(tx: Transaction, turn: RunTurn, { contactId, position, dueAt }: QueueRow): Promise<void> {
  const key = `${turn.automationId}/${position}/${contactId}`
  const tries = (failedEntries.get(key) ?? 0) + 1
  failedEntries.set(key, tries)
  if (failedEntries.size > FAILED_ENTRIES_MAX) failedEntries.delete(failedEntries.keys().next().value!)
  if (tries < ATTEMPTS_MAX) return
  failedEntries.delete(key)
  const refused = [
    { contactId, key: '', at: dueAt, eventId: position.startsWith('-') ? null : position, refusal: 'failed' as const },
  ]
  await writeVerdicts(tx, turn, { entered: [], refused })
  await tx.query({
    name: 'drop_failed_entry',
    text: `delete from run_queue where workspace_id = $1 and automation_id = $2 and contact_id = $3 and run_id = 0
      and kind = 'entry' and position = $4`,
    values: [turn.workspaceId, turn.automationId, contactId, position],
  })
}
