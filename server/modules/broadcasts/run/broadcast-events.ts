import type { DomainEventType } from '../../../catalogue/domain-events.ts'
import { type DomainEvent, integer } from '../../domain-events/emit-events.ts'
import type { BroadcastKey, BroadcastRow } from '../queries.ts'

type BroadcastEventType = Extract<DomainEventType, `broadcast.${string}`>

/** A `broadcast.*` event, of nobody in particular. */
export function broadcastEvent(
  type: BroadcastEventType,
  key: BroadcastKey,
  { name, status }: Pick<BroadcastRow, 'name' | 'status'>,
): DomainEvent {
  const data = { workspaceId: integer(key.workspaceId), broadcastId: integer(key.id), name, status }
  return { type, subject: '', contactId: null, email: null, data }
}
