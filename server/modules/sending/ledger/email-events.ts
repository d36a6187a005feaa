import type { DomainEventType } from '../../../catalogue/domain-events.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { type DomainEvent, integer } from '../../domain-events/emit-events.ts'
import type { Origin } from '../message-source.ts'
import { surfaceOf } from './surface.ts'

/** Facts that every `email.*` event tells of its message. */
export type EventMessage = Origin & {
  workspaceId: string
  id: string
  contactId: string | null
  destination: string
  /** JSON that the program that sent it has given it for itself; null without any. */
  metadata: string | null
}

type EmailEventType = Extract<DomainEventType, `email.${string}`>

/** An `email.*` event about a message. Ids are JSON integers, as everywhere in webhook bodies. */
export function emailEvent(
  type: EmailEventType,
  message: EventMessage,
  details: Record<string, unknown> = {},
): DomainEvent {
  const { id, purpose, sourceKind, sourceId, metadata } = message
  return addressEvent(type, message, {
    messageId: integer(id),
    purpose,
    surface: surfaceOf(sourceKind),
    ...(sourceId === null ? {} : { [`${sourceKind}Id`]: integer(sourceId) }),
    ...(metadata === null ? {} : { metadata: parseExactJson(metadata) }),
    ...details,
  })
}

/** An `email.*` event about an address, with no message to name. */
export function addressEvent(
  type: EmailEventType,
  { workspaceId, contactId, destination }: Pick<EventMessage, 'workspaceId' | 'contactId' | 'destination'>,
  details: Record<string, unknown>,
): DomainEvent {
  return {
    type,
    subject: destination,
    byAddress: true,
    contactId,
    email: destination,
    data: {
      workspaceId: integer(workspaceId),
      ...(contactId === null ? {} : { contactId: integer(contactId) }),
      email: destination,
      ...details,
    },
  }
}
