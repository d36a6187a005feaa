import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed, Id, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { SURFACES } from '../sending/ledger/surface.ts'
import { type ExplainDeps, explainMessage } from './explain-message.ts'
import { listMessages } from './list-messages.ts'
import { type ContentDeps, readContent } from './read-content.ts'
import { EMAIL_STATUSES, EmailList, MessageContent, MessageExplanation } from './schemas.ts'

/** Its template may have to be compiled. */
const CONTENT_DEADLINE_MS = 5_000

/** Questions about any message, whatever it was sent by. */
export function messageRoutes(app: HttpApp, deps: ContentDeps & ExplainDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/messages', family: 'Messages', tag: 'Emails' })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List messages',
    description:
      'Everything that was sent, or not sent, by broadcasts and singly, newest first. To an address: messages to the ' +
      'contact that has it now, and single ones to the address itself. With `status`, `surface` or `templateId` a page ' +
      'may hold fewer than `limit` and still have a next one: it looks at 20,000 messages at most.',
    query: closed({
      status: Type.Optional(oneOf(EMAIL_STATUSES)),
      surface: Type.Optional(oneOf(SURFACES, { description: 'Only what was sent this way.' })),
      templateId: Type.Optional(Type.String({ ...Id, description: 'Only single messages from this template.' })),
      from: Type.Optional(Type.String({ ...Timestamp, description: 'Only those of this time on.' })),
      to: Type.Optional(Type.String({ ...Timestamp, description: 'Only those of before this time.' })),
      destination: Type.Optional(Type.String({ maxLength: 320, description: 'Only to this address.' })),
      cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
    }),
    answers: { 200: EmailList },
    handle: async (request) => listMessages(deps, request.caller.workspaceId, request.query),
  })

  routes.get('/:id/content', 'content', {
    needs: 'contacts:read',
    summary: 'Read what a message says',
    description:
      'As its receiver reads it, rendered again from what it was made of, with links that count nothing; `asSent` says ' +
      'whether that is what was sent to the letter. 409 for a message that nobody else may see (it asks for a consent), ' +
      'whose receiver was erased, or that cannot be rendered.',
    answers: { 200: MessageContent },
    problems: [409],
    deadlineMs: CONTENT_DEADLINE_MS,
    handle: async (request) => readContent(deps, request.caller.workspaceId, request.params.id),
  })

  routes.get('/:id/explain', 'explain', {
    needs: 'contacts:read',
    summary: 'Explain a message',
    description:
      'Why somebody did or did not get a message, of a broadcast or single: one sentence, and everything it follows ' +
      'from as it stands now.',
    answers: { 200: MessageExplanation },
    handle: async (request) => explainMessage(deps, request.caller.workspaceId, request.params.id),
  })
}
