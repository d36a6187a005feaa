import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { confirmationFailed, hookRefused, invalid, notFound } from '../../catalogue/problems.ts'
import { type HttpApp, KNOWN_BODY_BYTES_MAX } from '../../platform/http/http-app.ts'
import { parseJsonBody } from '../../platform/json/exact-json.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type HookDeps, hookOf, type OpenHook } from './manage-hooks.ts'
import { addressedTo } from './read-returned-mail.ts'
import { recordFeedback } from './record-feedback.ts'
import { readHookEvents } from './take-in-events.ts'
import { type MailDeps, takeInMail } from './take-in-mail.ts'
import { type SnsDeps, type SnsRefusal, takeInSns } from './take-in-sns.ts'
import { verifiedId } from './verify-webhook.ts'

export type HookRouteDeps = HookDeps & MailDeps & SnsDeps

/** A mail may hold what it returns; what is beyond the report in it is not looked at. */
const MAIL_BYTES_MAX = 10 * 1024 * 1024
/** A message of SNS has 256 KiB at most. */
const SNS_BYTES_MAX = 512 * 1024
/** Longer than other answers may take: Amazon is asked for its certificate, or to confirm. */
const SNS_DEADLINE_MS = 20_000
const MAIL_DEADLINE_MS = 60_000

const schema = { hide: true, params: closed({ ingestKey: Type.String({ maxLength: 100 }) }) } as const

const SNS_FAULTS: Readonly<Record<SnsRefusal, string>> = {
  topic: 'The topic is not among those that the workspace believes.',
  stale: 'The message is too old, or from the future.',
  signature_version: 'The message is not signed with SHA-256: set the attribute SignatureVersion of the topic to 2.',
  certificate_url: 'The certificate is not at a place of Amazon SNS in the region of the topic.',
  certificate: 'The certificate could not be fetched, or is not a valid one of Amazon SNS.',
  signature: 'The signature is wrong.',
  subscribe_url: 'The address to confirm at is not one of Amazon SNS for this topic.',
}

/** Routes where others tell what came back. The key of a workspace's hooks lets a caller reach them; it alone proves nothing. */
export function hookRoutes(app: HttpApp, deps: HookRouteDeps): void {
  const opened = new WeakMap<FastifyRequest, OpenHook>()
  const hookOfRequest = (request: object) => opened.get(request as FastifyRequest)!

  app.register(async (scope) => {
    // Before the body is read: who does not know a key gets nothing in.
    scope.addHook('preParsing', async (request, _reply, payload) => {
      const hook = await hookOf(deps, (request.params as { ingestKey: string }).ingestKey)
      if (!hook) throw notFound()
      opened.set(request, hook)
      return payload
    })
    // The signature is over the bytes; SNS calls its JSON text/plain.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, taken) => taken(null, body))
    const routes = scope as HttpApp

    routes.post(
      '/hooks/:ingestKey/ses',
      { schema, bodyLimit: SNS_BYTES_MAX, config: { deadlineMs: SNS_DEADLINE_MS } },
      async (request) => {
        const told = await takeInSns(deps, hookOfRequest(request), bodyOf(request).toString())
        if (told.outcome === 'malformed') throw invalid([{ pointer: '', detail: 'is not a message of Amazon SNS' }])
        if (told.outcome === 'refused') throw hookRefused(SNS_FAULTS[told.fault])
        if (told.outcome === 'unconfirmed') throw confirmationFailed()
        return told
      },
    )

    routes.post('/hooks/:ingestKey/events', { schema, bodyLimit: KNOWN_BODY_BYTES_MAX }, async (request) => {
      const { workspaceId, secrets } = hookOfRequest(request)
      const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers
      const body = bodyOf(request)
      const verified = verifiedId(body, { id, timestamp, signature }, { secrets })
      if (verified === null) throw hookRefused('The signature is missing, wrong, or more than five minutes old.')
      return recordFeedback(deps, workspaceId, readHookEvents(parseJsonBody(body), verified))
    })

    routes.post(
      '/hooks/:ingestKey/mail',
      { schema, bodyLimit: MAIL_BYTES_MAX, config: { deadlineMs: MAIL_DEADLINE_MS } },
      async (request) => {
        const bytes = bodyOf(request)
        const { workspaceId } = hookOfRequest(request)
        return takeInMail(deps, { bytes, recipients: addressedTo(bytes), workspaceId })
      },
    )
  })
}

function bodyOf({ body }: { body: unknown }): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}
