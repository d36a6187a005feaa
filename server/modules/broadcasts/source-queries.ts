import { int8Array } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { StreamSender } from '../sending/message-source.ts'
import type { BroadcastKey } from './queries.ts'

/** The sender of a broadcast's messages. */
export async function broadcastSender(tx: Queryable, { workspaceId, id }: BroadcastKey): Promise<StreamSender> {
  const { rows } = await tx.query<StreamSender>({
    name: 'sender_of_broadcast',
    text: `select b.integration_id as "integrationId", b.from_email as "fromEmail", b.from_name as "fromName"
      from broadcasts b where b.workspace_id = $1 and b.id = $2`,
    values: [workspaceId, id],
  })
  return rows[0]!
}

export type MailContent = { id: string; subject: string; body: string; text: string | null }

/** Contents of broadcasts. */
export async function broadcastContents(
  tx: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<MailContent[]> {
  const { rows } = await tx.query<MailContent>({
    name: 'contents_of_broadcasts',
    text: `select b.id, b.subject, b.body, b.text from broadcasts b where b.workspace_id = $1 and b.id = any ($2::int8[])`,
    values: [workspaceId, int8Array(ids)],
  })
  return rows
}

export type MailSettings = { trackOpens: boolean; trackClicks: boolean; postalAddress: string | null }

/** How a workspace's marketing mail is tracked and signed off. */
export async function mailSettingsOf(tx: Queryable, workspaceId: string): Promise<MailSettings> {
  const { rows } = await tx.query<MailSettings>({
    name: 'mail_settings_of_broadcasts',
    text: `select track_opens as "trackOpens", track_clicks as "trackClicks", postal_address as "postalAddress"
      from sending_settings where workspace_id = $1`,
    values: [workspaceId],
  })
  return rows[0] ?? { trackOpens: true, trackClicks: true, postalAddress: null }
}
