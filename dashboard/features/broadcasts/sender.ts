import type { Broadcast, Integration } from '../../lib/site-types.ts'

export type Sender = { name: string | null; email: string | null; integration: Integration | undefined }

/** From whom it comes: its own words first, then those of the integration it goes through. */
export function senderOf(
  value: Pick<Broadcast, 'integrationId' | 'fromName' | 'fromEmail'>,
  integrations: readonly Integration[],
): Sender {
  const integration = integrations.find(({ id, isDefault }) =>
    value.integrationId === null ? isDefault : id === value.integrationId,
  )
  return {
    name: value.fromName ?? (value.fromEmail === null ? (integration?.config.fromName ?? null) : null),
    email: value.fromEmail ?? integration?.config.from ?? null,
    integration,
  }
}
