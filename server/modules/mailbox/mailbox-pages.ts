import type { FastifyError } from 'fastify'
import type pg from 'pg'
import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { sendPage } from '../../platform/http/page.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import { membershipsOf } from '../auth/people.ts'
import { noWorkspacePage, sendAppPage } from '../pages/app-page.ts'
import { declarePages } from '../pages/declare-pages.ts'
import { requireName, WORKSPACE_NAME_CHARS_MAX } from '../workspaces/administer-workspaces.ts'
import { updateWorkspace } from '../workspaces/manage-workspaces.ts'
import { CLEAR_DEADLINE_MS, clearMails } from './clear-mails.ts'
import { clearPage } from './clear-page.ts'
import { listPage } from './list-page.ts'
import { mailboxPath } from './mailbox-text.ts'
import { messageRoutes } from './message-routes.ts'
import { missingPage } from './missing-page.ts'
import { listMails, mailboxOf, mailsFound, mailsTotal } from './queries.ts'
import type { MailOpener } from './read-mail.ts'

const PAGE_MAILS = 50
const SEARCH_CHARS_MAX = 200
const slug = Type.String({ maxLength: 63 })
const read = { config: { permission: 'broadcasts:read' } } as const
const hide = true

export function mailboxRoutes(app: HttpApp, deps: { sql: pg.Pool; opener: MailOpener }): void {
  declarePages(app, (pages) => {
    listRoutes(pages, deps)
    clearRoutes(pages, deps)
    nameRoutes(pages, deps)
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
    return sendPage(reply, noWorkspacePage(request.session.user.email))
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
        mayName: caller.scopes.has('workspace:write'),
      })
      return sendAppPage(reply, page)
    },
  )
}

/** Names a workspace that has none: asked at the first visit. */
function nameRoutes(pages: HttpApp, { sql }: { sql: pg.Pool }): void {
  const body = closed({ name: Type.String({ maxLength: WORKSPACE_NAME_CHARS_MAX }) })
  const options = {
    config: { permission: 'workspace:write' },
    schema: { hide, params: closed({ slug }), body },
  } as const

  pages.post('/app/mailbox/:slug/name', options, async (request, reply) => {
    const name = request.body.name.trim()
    requireName(name)
    await updateWorkspace({ sql }, request.caller, { change: { name }, requireMatchOf: () => undefined })
    return reply.redirect(mailboxPath(request.params.slug), 303)
  })
}

function clearRoutes(pages: HttpApp, { sql }: { sql: pg.Pool }): void {
  const path = '/app/mailbox/:slug/clear'
  const options = { config: { permission: 'broadcasts:write' }, schema: { hide, params: closed({ slug }) } } as const

  pages.get(path, options, async (request, reply) => {
    const total = await mailsTotal(sql, request.caller.workspaceId)
    return sendAppPage(reply, clearPage(request.params.slug, total))
  })

  const clearing = { ...options, config: { ...options.config, deadlineMs: CLEAR_DEADLINE_MS } } as const
  pages.post(path, clearing, async (request, reply) => {
    await clearMails({ sql }, request.caller, {})
    return reply.redirect(mailboxPath(request.params.slug), 303)
  })
}
