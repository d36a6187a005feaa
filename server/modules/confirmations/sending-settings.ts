import type { Transaction } from '../../platform/db/transaction.ts'
import type { QuietHours } from '../sending/restraint/quiet-hours.ts'
import {
  type FrequencyCap,
  RESTRAINT_COLUMNS,
  type RestraintRow,
  type Restraints,
  restraintsIn,
} from '../sending/restraint/restraints.ts'

/** How a workspace sends. */
export type SendingSettings = {
  /** Marketing mail goes only to contacts that are known to have agreed. */
  doubleOptIn: boolean
  trackOpens: boolean
  trackClicks: boolean
  /** Where the sender can be reached by post. */
  postalAddress: string | null
  /** Times of day at which no marketing mail goes out, by the clock of each person. */
  quietHours: QuietHours | null
  /** How much marketing mail one person gets. */
  frequencyCap: FrequencyCap | null
  /** RFC 3339; null while nothing was ever set. */
  updatedAt: string | null
}

export const DEFAULT_SETTINGS: SendingSettings = {
  doubleOptIn: false,
  trackOpens: true,
  trackClicks: true,
  postalAddress: null,
  quietHours: null,
  frequencyCap: null,
  updatedAt: null,
}

/** The settings of a workspace as they are now: read once a batch, not once a message. */
export async function sendingSettingsOf(tx: Transaction, workspaceId: string): Promise<SendingSettings> {
  const { rows } = await tx.query<Omit<SendingSettings, keyof Restraints> & RestraintRow>({
    name: 'sending_settings',
    text: `select double_opt_in as "doubleOptIn", track_opens as "trackOpens", track_clicks as "trackClicks",
        postal_address as "postalAddress", updated_at as "updatedAt", ${RESTRAINT_COLUMNS}
      from sending_settings where workspace_id = $1`,
    values: [workspaceId],
  })
  const [row] = rows
  if (!row) return DEFAULT_SETTINGS
  const { doubleOptIn, trackOpens, trackClicks, postalAddress, updatedAt } = row
  return { doubleOptIn, trackOpens, trackClicks, postalAddress, ...restraintsIn(row), updatedAt }
}
