import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { cancelEmail } from './cancel-email.ts'
import { listEmails, readEmail } from './read-emails.ts'
import { type ResolveDeps, resolveEmail } from './resolve-email.ts'
import {
  EMAIL_STATUSES,
  EmailBatchBody,
  EmailBatchResults,
  EmailBody,
  EmailDetail,
  EmailList,
  QueuedEmail,
  ResolveEmailBody,
} from './schemas.ts'
import { type EmailDeps, sendEmail, sendEmailBatch } from './send-emails.ts'

/** Of a message, or of all of a batch: attachments of 18 MiB are 24 MiB in base64. */
const BODY_BYTES_MAX = 25 * 1024 * 1024
/** For so much to arrive in the database, too. */
const SEND_DEADLINE_MS = 10_000
/** For a hundred contents of their own to be compiled. */
const BATCH_DEADLINE_MS = 15_000

/** Single messages, which both surfaces offer alike. */
export function emailRoutes(app: HttpApp, deps: EmailDeps & ResolveDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/emails', family: 'Emails' })

  routes.post('', 'send', {
    needs: 'emails:send',
    summary: 'Send a message',
    description:
      'Sends a message to one person, from a template or with content of its own, now or at a time within a year. 202 ' +
      'means that it is queued for good; it goes out once, and never waits behind a broadcast. Suppressed addresses ' +
      'are not mailed; who unsubscribed from marketing mail still is, for this is not marketing mail. Give an ' +
      '`Idempotency-Key` so that a repeated request sends nothing twice.',
    body: EmailBody,
    answers: { 202: QueuedEmail },
    problems: [422],
    bodyBytesMax: BODY_BYTES_MAX,
    deadlineMs: SEND_DEADLINE_MS,
    handle: async (request) => sendEmail(deps, request.caller, request.body),
  })

  routes.post('/batch', 'sendBatch', {
    needs: 'emails:send',
    summary: 'Send messages one by one',
    description:
      'Queues those of up to 100 items that are messages, all at once, and answers what became of each. A failed item ' +
      'does not hold up the others.',
    body: EmailBatchBody,
    answers: { 202: EmailBatchResults },
    bodyBytesMax: BODY_BYTES_MAX,
    deadlineMs: BATCH_DEADLINE_MS,
    handle: async (request) => ({ results: await sendEmailBatch(deps, request.caller, request.body.emails) }),
  })

  routes.get('', 'list', {
    needs: 'emails:send',
    summary: 'List single messages',
    description:
      'Transactional and test messages, newest first; those of a broadcast are under it. With `status` a page may hold ' +
      'fewer than `limit` and still have a next one.',
    query: closed({
      destination: Type.Optional(Type.String({ maxLength: 320, description: 'Only to this address.' })),
      contactId: Type.Optional(Type.String({ ...Id, description: 'Only to this contact.' })),
      status: Type.Optional(oneOf(EMAIL_STATUSES)),
      cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
    }),
    answers: { 200: EmailList },
    handle: async (request) => listEmails(deps, request.caller.workspaceId, request.query),
  })

  oneEmailRoutes(app, deps, door)
}

/** A message by its id. */
function oneEmailRoutes(app: HttpApp, deps: EmailDeps & ResolveDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/emails', family: 'Emails' })

  routes.get('/:id', 'get', {
    needs: 'emails:send',
    summary: 'Read a message',
    description:
      'Any message by its id, also one of a broadcast: what it says, where it stands, all that happened to it.',
    answers: { 200: EmailDetail },
    etag: true,
    handle: async (request) => readEmail(deps, request.caller.workspaceId, request.params.id),
  })

  routes.post('/:id/cancel', 'cancel', {
    needs: 'emails:send',
    summary: 'Cancel a message',
    description: 'Takes a queued message back, such as a scheduled one. One that is being sent comes to its own end.',
    answers: { 200: EmailDetail },
    problems: [409],
    etag: true,
    handle: async (request) => cancelEmail(deps, request.caller, request.params.id),
  })

  routes.post('/:id/resolve', 'resolve', {
    needs: 'emails:send',
    summary: 'Decide on a message whose fate nobody knows',
    description:
      'For a single message with the status `uncertain`: it was handed over, no answer came, and it is not sent again ' +
      'by itself. Taken for sent it is told of with `email.sent`. 409 when it is not uncertain.',
    body: ResolveEmailBody,
    answers: { 200: EmailDetail },
    problems: [409],
    etag: true,
    handle: async (request) => resolveEmail(deps, request.caller, { id: request.params.id, as: request.body.as }),
  })
}
