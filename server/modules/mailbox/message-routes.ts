import type { FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { Type } from 'typebox'
import { notFound, overloaded } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import { sendAppPage } from '../pages/app-page.ts'
import { markRead } from './mail-queries.ts'
import { messagePage, VIEWS } from './message-page.ts'
import { missingPage } from './missing-page.ts'
import type { MailJob, MailResult } from './open-mail.ts'
import { type KeptMail, mailById } from './queries.ts'
import { type MailOpener, OPEN_DEADLINE_MS, oneClickUrlOf, readMail } from './read-mail.ts'
import { unreadablePage } from './unreadable-page.ts'

const slug = Type.String({ maxLength: 63 })
const read = { config: { permission: 'broadcasts:read' } } as const
const open = { config: { ...read.config, deadlineMs: OPEN_DEADLINE_MS } } as const
const hide = true
const BUSY_SECONDS = 5

/** The policy of a framed message: show itself and open links in new windows. No scripts, no forms, no cookies of ours. */
const FRAME_POLICY = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  'img-src http: https: data:',
  "style-src 'unsafe-inline' https:",
  'font-src https: data:',
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

type Opened<Outcome extends MailResult['outcome']> = Extract<MailResult, { outcome: Outcome }>

/** One message of the mailbox: its page, its HTML in a frame, itself and its attachments as files. */
export function messageRoutes(pages: HttpApp, deps: { sql: pg.Pool; opener: MailOpener }): void {
  const path = '/app/mailbox/:slug/:id'
  const params = closed({ slug, id: Id })
  const view = closed({ view: Type.Optional(oneOf(VIEWS)) })

  pages.get(path, { ...open, schema: { hide, params, querystring: view } }, (request, reply) => {
    const send = async ({ page: opened }: Opened<'page'>, mail: KeptMail) => {
      const { workspaceId } = request.caller
      await inTransaction(deps.sql, workspaceId, (tx) => markRead(tx, workspaceId, mail.id))
      const chosen = request.query.view ?? (opened.hasHtml ? 'html' : 'text')
      const message = { mail, opened, oneClickUrl: oneClickUrlOf(opened) }
      return sendAppPage(reply, messagePage(request.params.slug, message, chosen))
    }
    return show(request, reply, { part: 'page', send })
  })

  pages.get(`${path}/html`, { ...open, schema: { hide, params } }, (request, reply) => {
    const send = ({ html }: Opened<'frame'>) =>
      reply
        .headers({ 'content-security-policy': FRAME_POLICY, 'referrer-policy': 'no-referrer' })
        .type('text/html; charset=utf-8')
        .send(html)
    return show(request, reply, { part: 'frame', send })
  })

  pages.get(`${path}/message.eml`, { ...read, schema: { hide, params } }, async (request, reply) => {
    const { caller, params } = request
    const mail = await inTransaction(deps.sql, caller.workspaceId, (tx) => mailById(tx, caller.workspaceId, params.id))
    if (mail === undefined) return sendAppPage(reply, missingPage(params.slug), 404)
    return sendFile(reply, { name: `message-${mail.id}.eml`, bytes: mail.raw })
  })

  pages.get(
    `${path}/attachments/:index`,
    { ...open, schema: { hide, params: closed({ slug, id: Id, index: Type.Integer({ minimum: 0 }) }) } },
    (request, reply) => {
      const { index } = request.params
      const send = ({ name, content }: Opened<'attachment'>) =>
        sendFile(reply, { name: name || `part-${index + 1}`, bytes: Buffer.from(content) })
      return show(request, reply, { part: { attachment: index }, send })
    },
  )

  type MailRequest = Pick<FastifyRequest<{ Params: { slug: string; id: string } }>, 'caller' | 'params'>

  /** Answers with what `send` makes of the part, or says that the mail is not there or cannot be read. */
  async function show<Part extends MailResult>(
    { caller, params: { slug, id } }: MailRequest,
    reply: FastifyReply,
    {
      part,
      send,
    }: { part: MailJob['part']; send: (part: Part, mail: KeptMail) => FastifyReply | Promise<FastifyReply> },
  ): Promise<FastifyReply> {
    const found = await readMail(deps, { workspaceId: caller.workspaceId, id }, part)
    if (found === undefined) return sendAppPage(reply, missingPage(slug), 404)
    const { result, mail } = found
    switch (result.outcome) {
      case 'missing':
        throw notFound()
      case 'busy':
        throw overloaded(BUSY_SECONDS)
      case 'failed':
      case 'stopped':
        return sendAppPage(reply, unreadablePage(slug, id), 422)
      default:
        return send(result as Part, mail)
    }
  }
}

/** As a download, whatever it is: nothing of a mail is shown in our own name. */
function sendFile(reply: FastifyReply, { name, bytes }: { name: string; bytes: Buffer }): FastifyReply {
  // RFC 6266 section 4.1, RFC 8187.
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return reply
    .headers({
      'content-disposition': `attachment; filename*=UTF-8''${encoded}`,
      'content-security-policy': "sandbox; default-src 'none'",
    })
    .type('application/octet-stream')
    .send(bytes)
}
