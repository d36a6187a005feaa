import { type DomainEvent, integer } from '../domain-events/emit-events.ts'
import type { ContactRow } from './queries.ts'

/** The data of `contact.created`, `contact.updated` and `contact.merged`; email is '' when there is none (reference, event data). */
export function contactEvent(
  type: 'contact.created' | 'contact.updated' | 'contact.merged',
  workspaceId: string,
  contact: Pick<ContactRow, 'id' | 'subjectId' | 'email' | 'phone'>,
  more: { changed?: readonly string[]; mergedContactId?: unknown; cause?: unknown } = {},
): DomainEvent {
  return {
    type,
    subject: contact.subjectId ?? contact.email ?? contact.phone ?? '',
    contactId: contact.id,
    email: contact.email,
    data: {
      workspaceId: integer(workspaceId),
      contactId: integer(contact.id),
      subjectId: contact.subjectId,
      email: contact.email ?? '',
      phone: contact.phone,
      ...more,
    },
  }
}
