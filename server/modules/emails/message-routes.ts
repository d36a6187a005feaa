import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { explainMessage } from './explain-message.ts'
import { listMessages } from './read-emails.ts'
import { EmailList, MessageExplanation } from './schemas.ts'
import type { EmailDeps } from './send-emails.ts'

/** Questions about any message, whatever it was sent by. */
export function messageRoutes(app: HttpApp, deps: Pick<EmailDeps, 'sql'>, door: Door): void {
  const routes = routesOf(app, door, { path: '/messages', family: 'Messages', tag: 'Emails' })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List messages',
    description:
      'Everything that was sent, or not sent, by broadcasts and singly, newest first. To an address: messages to the ' +
      'contact that has it now, and single ones to the address itself.',
    query: closed({
      destination: Type.Optional(Type.String({ maxLength: 320, description: 'Only to this address.' })),
      cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
    }),
    answers: { 200: EmailList },
    handle: async (request) => listMessages(deps, request.caller.workspaceId, request.query),
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
