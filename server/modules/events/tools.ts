import { Type } from 'typebox'
import { closed } from '../../platform/schema/schemas.ts'
import { maskAddress, untrustedObject } from '../../platform/untrusted-text.ts'
import { defineTool, IdInput, MaybeText, ROWS_MAX, Text, type Tool, Untrusted } from '../tool.ts'

const ROWS_DEFAULT = 20

/** Acts of people and programs, for agents. Names and properties of events are written by whoever records them. */
export const eventTools: readonly Tool[] = [
  defineTool({
    name: 'events_recent',
    title: 'Read recent events',
    toolset: 'insight',
    needs: ['events:read'],
    effect: 'reads',
    description: 'Recorded events, newest first: of everybody, of one name, or of one contact. Go on with nextCursor.',
    input: closed({
      action: Type.Optional(Type.String({ maxLength: 200 })),
      contactId: Type.Optional(IdInput),
      cursor: Type.Optional(Type.String({ maxLength: 512 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_MAX })),
    }),
    output: Type.Object({
      items: Type.Array(
        Type.Object({ id: Text, type: Text, contactId: MaybeText, occurredAt: Text, untrusted: Untrusted }),
      ),
      nextCursor: Type.Optional(Text),
      omitted: Type.Optional(Type.Integer()),
    }),
    async run(call, { contactId, action, cursor, limit = ROWS_DEFAULT }) {
      const list =
        contactId === undefined
          ? await call('GET /api/events', { query: { action, cursor, limit } })
          : await call(`GET /api/contacts/${contactId}/events`, { query: { action, cursor, limit } })
      const shown = list.items.map(({ id, type, occurredAt, ...event }: EventItem) => ({
        ...{ id, type, occurredAt },
        contactId: event.contactId ?? contactId ?? null,
        untrusted: untrustedObject({
          ...{ action: event.action, subjectId: event.subjectId, properties: event.properties },
          email: event.email === null ? null : maskAddress(event.email),
        }),
      }))
      return { items: shown, ...(list.nextCursor === undefined ? {} : { nextCursor: list.nextCursor }) }
    },
  }),
]

type EventItem = Record<'id' | 'type' | 'occurredAt' | 'action', string> & {
  contactId?: string | null
  subjectId: string | null
  email: string | null
  properties: object
}
