import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import type { StreamSender } from '../../sending/message-source.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'

/** The place of a message in its automation, and the properties of what brought its person in. */
export type RunMessage = {
  messageId: string
  automationId: string
  version: number
  node: string
  properties: Record<string, unknown>
  /** Its visit, by which the trace has the variables. */
  runId: string
  visit: number
}

/** The places of messages, by their ids. */
export async function runMessages(
  tx: Transaction,
  workspaceId: string,
  messages: readonly { id: string; createdAt: string }[],
): Promise<Map<string, RunMessage>> {
  const { rows } = await tx.query<Omit<RunMessage, 'properties'> & { data: string | null }>({
    name: 'places_of_run_messages',
    text: `select r.message_id as "messageId", r.automation_id as "automationId", r.version, r.node, e.data::text as data,
        r.run_id as "runId", r.visit
      from unnest($2::int8[], $3::text[]::timestamptz[]) as g(id, created_at)
      join run_messages r on r.workspace_id = $1 and r.message_id = g.id and r.created_at = g.created_at
      left join events e on e.workspace_id = $1 and e.id = r.event_id and e.recorded_at = r.event_at`,
    values: [workspaceId, int8Array(messages.map(({ id }) => id)), textArray(messages.map((one) => one.createdAt))],
  })
  const propertiesOf = (data: string | null) => (data === null ? {} : parseExactJson(data)) as Record<string, unknown>
  return new Map(rows.map(({ data, ...place }) => [place.messageId, { ...place, properties: propertiesOf(data) }]))
}

/** The sender of an automation's mails: that of the version in force. */
export async function senderOf(
  tx: Transaction,
  key: { workspaceId: string; automationId: string },
): Promise<StreamSender> {
  const { rows } = await tx.query<{ version: number | null }>({
    name: 'version_of_sender',
    text: 'select published_version as version from automations where workspace_id = $1 and id = $2',
    values: [key.workspaceId, key.automationId],
  })
  const version = rows[0]?.version ?? null
  const definition = version === null ? undefined : (await loadDefinitions(tx, key, [version])).get(version)
  return definition?.sender ?? { integrationId: null, fromEmail: null, fromName: null }
}

export type MailSettings = { trackOpens: boolean; trackClicks: boolean; postalAddress: string | null }

/** How a workspace's mail is tracked and signed off. */
export async function mailSettings(tx: Transaction, workspaceId: string): Promise<MailSettings> {
  const { rows } = await tx.query<MailSettings>({
    name: 'mail_settings_of_automations',
    text: `select track_opens as "trackOpens", track_clicks as "trackClicks", postal_address as "postalAddress"
      from sending_settings where workspace_id = $1`,
    values: [workspaceId],
  })
  return rows[0] ?? { trackOpens: true, trackClicks: true, postalAddress: null }
}
