import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { Type } from 'typebox'
import { notFound } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { html } from '../../platform/html.ts'
import { sendPage } from '../../platform/http/page.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { membershipsOf } from '../auth/people.ts'
import { cardPage, sendAppPage } from '../pages/app-page.ts'
import { declarePages } from '../pages/declare-pages.ts'
import { clearPage } from './clear-page.ts'
import { listPage } from './list-page.ts'
import { mailboxPath } from './mailbox-text.ts'
import { messagePage, VIEWS } from './message-page.ts'
import { missingPage } from './missing-page.ts'
import { deleteAllMails, listMails, mailboxOf, mailsFound, mailsTotal } from './queries.ts'
import { bytesOf, framedHtml, type ReadMail, readMail } from './read-mail.ts'

const PAGE_MAILS = 50
const SEARCH_CHARS_MAX = 200
const slug = Type.String({ maxLength: 63 })
const read = { config: { permission: 'broadcasts:read' } } as const
const hide = true

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

export function mailboxRoutes(app: HttpApp, deps: { sql: pg.Pool }): void {
  declarePages(app, (pages) => {
    listRoutes(pages, deps)
    clearRoutes(pages, deps)
    pages.register(async (mails: HttpApp) => {
      mails.setErrorHandler<FastifyError>((error, request, reply) => {
        // A value that is no number is the path of no mail, as is a number that no mail has.
        if (error.validationContext !== 'params') throw error
        return sendAppPage(reply, missingPage((request.params as { slug: string }).slug), 404)
      })
      messageRoutes(mails, deps)
    })
  })
}

function listRoutes(pages: HttpApp, { sql }: { sql: pg.Pool }): void {
  pages.get('/app/mailbox', { schema: { hide } }, async (request, reply) => {
    const [first] = await membershipsOf(sql, request.session.user.id)
    if (first !== undefined) return reply.redirect(mailboxPath(first.slug), 302)
    return sendPage(reply, cardPage('No workspace', html`<p>You belong to no workspace of this instance.</p>`))
  })

  const querystring = closed({
    search: Type.Optional(Type.String({ maxLength: SEARCH_CHARS_MAX })),
    before: Type.Optional(Id),
  })
  pages.get(
    '/app/mailbox/:slug',
    { ...read, schema: { hide, params: closed({ slug }), querystring } },
    async (request, reply) => {
      const { caller } = request
      const { search = '', before } = request.query
      const [mails, total, found, address, workspaces] = await Promise.all([
        listMails(sql, caller.workspaceId, { search, before, limit: PAGE_MAILS + 1 }),
        mailsTotal(sql, caller.workspaceId),
        search === '' ? 0 : mailsFound(sql, caller.workspaceId, search),
        mailboxOf(sql, caller.workspaceId),
        membershipsOf(sql, caller.actor.id ?? ''),
      ])
      const page = listPage({
        ...{ slug: request.params.slug, search, before, total, found, address, workspaces },
        mails: mails.slice(0, PAGE_MAILS),
        hasMore: mails.length > PAGE_MAILS,
        baseUrl: `${request.protocol}://${request.host}`,
        mayClear: caller.scopes.has('broadcasts:write'),
      })
      return sendAppPage(reply, page)
    },
  )
}

function clearRoutes(pages: HttpApp, { sql }: { sql: pg.Pool }): void {
  const path = '/app/mailbox/:slug/clear'
  const options = { config: { permission: 'broadcasts:write' }, schema: { hide, params: closed({ slug }) } } as const

  pages.get(path, options, async (request, reply) => {
    const total = await mailsTotal(sql, request.caller.workspaceId)
    return sendAppPage(reply, clearPage(request.params.slug, total))
  })

  pages.post(path, options, async (request, reply) => {
    const { caller } = request
    await inTransaction(sql, caller.workspaceId, async (tx) => {
      const mails = await deleteAllMails(tx, caller.workspaceId)
      const target = { type: 'mailbox', id: null, name: null }
      await recordAudit(tx, caller, { action: 'mailbox.clear', target, diff: { mails: { from: mails, to: 0 } } })
    })
    return reply.redirect(mailboxPath(request.params.slug), 303)
  })
}

function messageRoutes(pages: HttpApp, { sql }: { sql: pg.Pool }): void {
  const path = '/app/mailbox/:slug/:id'
  const params = closed({ slug, id: Id })
  const view = closed({ view: Type.Optional(oneOf(VIEWS)) })

  pages.get(path, { ...read, schema: { hide, params, querystring: view } }, (request, reply) =>
    showMail(request, reply, (message) => {
      const chosen = request.query.view ?? (message.parsed.html ? 'html' : 'text')
      return sendAppPage(reply, messagePage(request.params.slug, message, chosen))
    }),
  )

  pages.get(`${path}/html`, { ...read, schema: { hide, params } }, (request, reply) =>
    showMail(request, reply, (message) =>
      reply
        .headers({ 'content-security-policy': FRAME_POLICY, 'referrer-policy': 'no-referrer' })
        .type('text/html; charset=utf-8')
        .send(framedHtml(message)),
    ),
  )

  pages.get(`${path}/message.eml`, { ...read, schema: { hide, params } }, (request, reply) =>
    showMail(request, reply, ({ mail }) => sendFile(reply, { name: `message-${mail.id}.eml`, bytes: mail.raw })),
  )

  pages.get(
    `${path}/attachments/:index`,
    { ...read, schema: { hide, params: closed({ slug, id: Id, index: Type.Integer({ minimum: 0 }) }) } },
    (request, reply) =>
      showMail(request, reply, ({ attachments }) => {
        const { index } = request.params
        const part = attachments[index]
        if (part === undefined) throw notFound()
        return sendFile(reply, { name: part.filename || `part-${index + 1}`, bytes: bytesOf(part) })
      }),
  )

  type MailRequest = Pick<FastifyRequest<{ Params: { slug: string; id: string } }>, 'caller' | 'params'>

  /** Answers with what `show` makes of the mail, or says that it is not there. */
  async function showMail(
    { caller, params: { slug, id } }: MailRequest,
    reply: FastifyReply,
    show: (message: ReadMail) => FastifyReply,
  ): Promise<FastifyReply> {
    const message = await readMail(sql, { workspaceId: caller.workspaceId, id })
    return message === undefined ? sendAppPage(reply, missingPage(slug), 404) : show(message)
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
