import type { Transaction } from '../../platform/db/transaction.ts'

/** How a workspace sends. */
export type SendingSettings = {
  /** Marketing mail goes only to contacts that are known to have agreed. */
  doubleOptIn: boolean
  trackOpens: boolean
  trackClicks: boolean
  /** Where the sender can be reached by post. */
  postalAddress: string | null
  /** RFC 3339; null while nothing was ever set. */
  updatedAt: string | null
}

export const DEFAULT_SETTINGS: SendingSettings = {
  doubleOptIn: false,
  trackOpens: true,
  trackClicks: true,
  postalAddress: null,
  updatedAt: null,
}

/** The settings of a workspace as they are now: read once a batch, not once a message. */
export async function sendingSettingsOf(tx: Transaction, workspaceId: string): Promise<SendingSettings> {
  const { rows } = await tx.query<SendingSettings>({
    name: 'sending_settings',
    text: `select double_opt_in as "doubleOptIn", track_opens as "trackOpens", track_clicks as "trackClicks",
        postal_address as "postalAddress", updated_at as "updatedAt"
      from sending_settings where workspace_id = $1`,
    values: [workspaceId],
  })
  return rows[0] ?? DEFAULT_SETTINGS
}
