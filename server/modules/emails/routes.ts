import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
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

const tags = ['Emails']
/** For a hundred contents of their own to be compiled. */
const BATCH_DEADLINE_MS = 15_000

/** Single messages, which both surfaces offer alike. */
export function emailRoutes(app: HttpApp, deps: EmailDeps & ResolveDeps, door: Door): void {
  const base = `${door.base}/emails`
  const operation = (verb: string) => `${door.family}Emails_${verb}`
  const config = door.needs('emails:send')
  const params = closed({ ...door.params, id: Id })

  app.post(
    base,
    {
      schema: {
        operationId: operation('send'),
        tags,
        summary: 'Send a message',
        description:
          'Sends a message to one person, from a template or with content of its own, now or at a time within a year. 202 ' +
          'means that it is queued for good; it goes out once, and never waits behind a broadcast. Suppressed addresses ' +
          'are not mailed; who unsubscribed from marketing mail still is, for this is not marketing mail. Give an ' +
          '`Idempotency-Key` so that a repeated request sends nothing twice.',
        body: EmailBody,
        response: { 202: QueuedEmail, ...problemResponses(422) },
      },
      config,
    },
    async (request, reply) => reply.code(202).send(await sendEmail(deps, request.caller, request.body)),
  )

  app.post(
    `${base}/batch`,
    {
      schema: {
        operationId: operation('sendBatch'),
        tags,
        summary: 'Send messages one by one',
        description:
          'Queues those of up to 100 items that are messages, all at once, and answers what became of each. A failed item ' +
          'does not hold up the others.',
        body: EmailBatchBody,
        response: { 202: EmailBatchResults },
      },
      config: { ...config, deadlineMs: BATCH_DEADLINE_MS },
    },
    async (request, reply) =>
      reply.code(202).send({ results: await sendEmailBatch(deps, request.caller, request.body.emails) }),
  )

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List single messages',
        description:
          'Transactional and test messages, newest first; those of a broadcast are under it. With `status` a page may hold ' +
          'fewer than `limit` and still have a next one.',
        querystring: closed({
          destination: Type.Optional(Type.String({ maxLength: 320, description: 'Only to this address.' })),
          contactId: Type.Optional(Type.String({ ...Id, description: 'Only to this contact.' })),
          status: Type.Optional(oneOf(EMAIL_STATUSES)),
          cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
          limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
        }),
        response: { 200: EmailList },
      },
      config,
    },
    async (request) => listEmails(deps, request.caller.workspaceId, request.query),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a message',
        description:
          'Any message by its id, also one of a broadcast: what it says, where it stands, all that happened to it.',
        params,
        response: { 200: EmailDetail },
      },
      config: { ...config, etag: true },
    },
    async (request) => readEmail(deps, request.caller.workspaceId, request.params.id),
  )

  app.post(
    `${base}/:id/cancel`,
    {
      schema: {
        operationId: operation('cancel'),
        tags,
        summary: 'Cancel a message',
        description:
          'Takes a queued message back, such as a scheduled one. One that is being sent comes to its own end.',
        params,
        response: { 200: EmailDetail, ...problemResponses(409) },
      },
      config: { ...config, etag: true },
    },
    async (request) => cancelEmail(deps, request.caller, request.params.id),
  )

  app.post(
    `${base}/:id/resolve`,
    {
      schema: {
        operationId: operation('resolve'),
        tags,
        summary: 'Decide on a message whose fate nobody knows',
        description:
          'For a single message with the status `uncertain`: it was handed over, no answer came, and it is not sent again ' +
          'by itself. Taken for sent it is told of with `email.sent`. 409 when it is not uncertain.',
        params,
        body: ResolveEmailBody,
        response: { 200: EmailDetail, ...problemResponses(409) },
      },
      config: { ...config, etag: true },
    },
    async (request) => resolveEmail(deps, request.caller, { id: request.params.id, as: request.body.as }),
  )
}
