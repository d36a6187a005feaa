import type { Transaction } from '../../../platform/db/transaction.ts'
import type { QuietHours } from './quiet-hours.ts'

/** At most so many marketing mails within so many days a person; a mail without room waits for it so long at most. */
export type FrequencyCap = { messages: number; days: number; waitHours: number }

export const CAP_MESSAGES_MAX = 100
export const CAP_DAYS_MAX = 30
export const CAP_WAIT_HOURS_MAX = 336

/** Considerateness that a workspace has asked for: what marketing mail heeds beside whom it may go to. */
export type Restraints = { quietHours: QuietHours | null; frequencyCap: FrequencyCap | null }

/** Why a message waits although it is due, or was not sent in the end. */
export const RESTRAINTS = ['quiet_hours', 'frequency_cap'] as const
export type Restraint = (typeof RESTRAINTS)[number]

/** SQL, of `sending_settings`: the columns that `restraintsIn` reads. */
export const RESTRAINT_COLUMNS = `quiet_from as "quietFrom", quiet_until as "quietUntil", quiet_zone as "quietZone",
  cap_messages as "capMessages", cap_days as "capDays", cap_wait_hours as "capWaitHours"`

export type RestraintRow = { quietFrom: string | null; quietUntil: string | null; quietZone: string | null } & {
  capMessages: number | null
  capDays: number | null
  capWaitHours: number | null
}

export function restraintsIn(row: RestraintRow): Restraints {
  const { quietFrom, quietUntil, quietZone, capMessages, capDays, capWaitHours } = row
  return {
    quietHours: quietFrom === null ? null : { from: quietFrom, until: quietUntil!, zone: quietZone! },
    frequencyCap: capMessages === null ? null : { messages: capMessages, days: capDays!, waitHours: capWaitHours! },
  }
}

/** The restraints that hold now, and the transaction's moment in milliseconds since 1970. */
export type RestraintsNow = Restraints & { nowMs: number }

/** Undefined where there are none. */
export async function restraintsOf(tx: Transaction, workspaceId: string): Promise<RestraintsNow | undefined> {
  const { rows } = await tx.query<RestraintRow & { nowMs: number }>({
    name: 'restraints_of_sending',
    text: `select ${RESTRAINT_COLUMNS}, (extract(epoch from now()) * 1000)::float8 as "nowMs"
      from sending_settings where workspace_id = $1 and (quiet_from is not null or cap_messages is not null)`,
    values: [workspaceId],
  })
  const [row] = rows
  return row && { ...restraintsIn(row), nowMs: row.nowMs }
}
