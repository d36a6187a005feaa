import { type Cause, causeOf } from '../domain-events/cause.ts'
import { type DomainEvent, integer } from '../domain-events/emit-events.ts'
import type { TagChange } from './queries.ts'

/** The data of `contact.tagged` and `contact.untagged`; email is '' when there is none, as in the other events of contacts. */
export function tagEvent(
  type: 'contact.tagged' | 'contact.untagged',
  workspaceId: string,
  change: TagChange & { cause?: Cause | undefined },
): DomainEvent {
  return {
    type,
    subject: change.subjectId ?? change.email ?? change.phone ?? '',
    contactId: change.contactId,
    email: change.email,
    data: {
      workspaceId: integer(workspaceId),
      contactId: integer(change.contactId),
      subjectId: change.subjectId,
      email: change.email ?? '',
      phone: change.phone,
      tagId: integer(change.tagId),
      tag: change.tag,
      ...(change.cause === undefined ? {} : { cause: causeOf(change.cause) }),
    },
  }
}
