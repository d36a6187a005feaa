import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { explainMessage } from './explain-message.ts'
import { listMessages } from './read-emails.ts'
import { EmailList, MessageExplanation } from './schemas.ts'
import type { EmailDeps } from './send-emails.ts'

/** Questions about any message, whatever it was sent by. */
export function messageRoutes(app: HttpApp, deps: Pick<EmailDeps, 'sql'>, door: Door): void {
  app.get(
    `${door.base}/messages`,
    {
      schema: {
        operationId: `${door.family}Messages_list`,
        tags: ['Emails'],
        summary: 'List messages',
        description:
          'Everything that was sent, or not sent, by broadcasts and singly, newest first. To an address: messages to the ' +
          'contact that has it now, and single ones to the address itself.',
        querystring: closed({
          destination: Type.Optional(Type.String({ maxLength: 320, description: 'Only to this address.' })),
          cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
          limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
        }),
        response: { 200: EmailList },
      },
      config: door.needs('contacts:read'),
    },
    async (request) => listMessages(deps, request.caller.workspaceId, request.query),
  )

  app.get(
    `${door.base}/messages/:id/explain`,
    {
      schema: {
        operationId: `${door.family}Messages_explain`,
        tags: ['Emails'],
        summary: 'Explain a message',
        description:
          'Why somebody did or did not get a message, of a broadcast or single: one sentence, and everything it follows ' +
          'from as it stands now.',
        params: closed({ ...door.params, id: Id }),
        response: { 200: MessageExplanation },
      },
      config: door.needs('contacts:read'),
    },
    async (request) => explainMessage(deps, request.caller.workspaceId, request.params.id),
  )
}
