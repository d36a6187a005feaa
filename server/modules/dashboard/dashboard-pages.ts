import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type pg from 'pg'
import { Type } from 'typebox'
import { isAppPath } from '../../catalogue/app-paths.ts'
import { notFound } from '../../catalogue/problems.ts'
import { html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { sendPage } from '../../platform/http/page.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { signedInBy } from '../auth/guard-site.ts'
import { membershipsOf } from '../auth/people.ts'
import { cardPage, noWorkspacePage } from '../pages/app-page.ts'
import { declarePages } from '../pages/declare-pages.ts'
import type { BuiltApp } from './built-app.ts'
import { FORM_FRAME, FORM_FRAME_POLICY } from './form-frame.ts'
import type { BuildKeeper } from './keep-built.ts'

export type DashboardDeps = { sql: pg.Pool; appUrl: URL | undefined; built: BuiltApp; keeper: BuildKeeper }

const hide = true
const open = { config: { withoutSession: true } } as const
const BUILDING_REFRESH_SECONDS = 2
const NONCE_BYTES = 16
const IMMUTABLE = 'public, max-age=31536000, immutable'
const AN_HOUR = 'public, max-age=3600'

/** Pages of the dashboard: where it begins, the one page that loads it, its files, and the frame that mails are shown in. */
export function dashboardRoutes(app: HttpApp, deps: DashboardDeps): void {
  declarePages(app, (pages) => {
    beginning(pages, deps)
    shellRoutes(pages, deps)
  })
  fileRoutes(app, deps)
  app.get('/', { schema: { hide } }, async (_request, reply) => reply.redirect('/app', 302))
  // Where a browser looks for a mark when what it shows names none, as answers of the API.
  app.get('/favicon.ico', { ...open, schema: { hide } }, async (_request, reply) =>
    reply.header('cache-control', AN_HOUR).redirect('/app/favicon.svg', 302),
  )
}

function beginning(pages: HttpApp, deps: DashboardDeps): void {
  pages.get('/app', { schema: { hide } }, async (request, reply) => {
    const signedIn = await signedInBy(request, deps)
    if (signedIn === undefined) return reply.redirect('/app/login', 302)
    const [first] = await membershipsOf(deps.sql, signedIn.user.id)
    if (first !== undefined) return reply.redirect(`/app/${first.slug}`, 302)
    return sendPage(reply, noWorkspacePage(signedIn.user.email))
  })
}

/** Any path below a slug is a page of the dashboard, which says itself that there is none of that name. */
function shellRoutes(pages: HttpApp, { built, keeper }: DashboardDeps): void {
  const slug = Type.String({ maxLength: 63 })
  for (const path of ['/app/:slug', '/app/:slug/', '/app/:slug/*']) {
    pages.get(path, { schema: { hide, params: Type.Object({ slug }) } }, async (request, reply) => {
      if (isAppPath(request.params.slug)) throw notFound()
      const nonce = randomBytes(NONCE_BYTES).toString('base64')
      const markup = await built.shell(nonce)
      return markup === undefined ? sendMissing(reply, keeper) : sendShell(reply, markup, nonce)
    })
  }
}

/** The page is not kept by anybody: it carries the nonce of its own policy. */
function sendShell(reply: FastifyReply, markup: string, nonce: string): FastifyReply {
  return reply
    .headers({
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
    .type('text/html; charset=utf-8')
    .send(markup)
}

function sendMissing(reply: FastifyReply, keeper: BuildKeeper): FastifyReply {
  const build = keeper.state()
  if (build.state === 'failed') {
    const content = html`<p>The dashboard is not built on this machine:</p><pre>${build.reason}</pre>
<p>Run <code>npm ci</code> with development dependencies, or <code>npm run build</code>. The API and the mailbox work without it.</p>
<p><a href="/app/mailbox">To the mailbox</a></p>`
    return sendPage(reply, cardPage('No dashboard yet', content), 503)
  }
  const content = html`<p role="status">The dashboard is being built, which takes some seconds. This page goes on by itself.</p>`
  const page = { ...cardPage('One moment', content), refreshSeconds: BUILDING_REFRESH_SECONDS }
  return sendPage(reply.header('retry-after', String(BUILDING_REFRESH_SECONDS)), page, 503)
}

function fileRoutes(app: HttpApp, { built }: DashboardDeps): void {
  const params = closed({ file: Type.String({ maxLength: 200 }) })
  app.get('/app/assets/:file', { ...open, schema: { hide, params } }, async (request, reply) =>
    sendFile(reply, await built.asset('assets', request.params.file, request.headers['accept-encoding']), IMMUTABLE),
  )
  // Without a hash in their names: what stands in the page before anything is loaded.
  for (const file of ['scheme.js', 'favicon.svg']) {
    app.get(`/app/${file}`, { ...open, schema: { hide } }, async (request, reply) =>
      sendFile(reply, await built.asset('', file, request.headers['accept-encoding']), AN_HOUR),
    )
  }
  app.get('/app/frame', { ...open, schema: { hide } }, async (_request, reply) => sendFrame(reply))
  app.get('/app/frame/form', { ...open, schema: { hide } }, async (_request, reply) =>
    reply
      .headers({ 'content-security-policy': FORM_FRAME_POLICY, 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(FORM_FRAME),
  )
}

function sendFile(reply: FastifyReply, asset: Awaited<ReturnType<BuiltApp['asset']>>, keep: string): FastifyReply {
  if (asset === undefined) throw notFound()
  if (asset.encoding !== undefined) reply.header('content-encoding', asset.encoding)
  return reply.headers({ 'cache-control': keep, vary: 'accept-encoding' }).type(asset.type).send(asset.bytes)
}

/**
 * An empty page that the dashboard writes a mail into. Its policy is not that of the page around it: a mail has styles and
 * pictures of its own. It runs no script, sends no form, and follows no base; the sandbox stands in the frame's attribute
 * as well, since a link inside could lead it to another page of this origin.
 */
function sendFrame(reply: FastifyReply): FastifyReply {
  return reply
    .headers({
      'content-security-policy': [
        'sandbox allow-same-origin allow-popups',
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        'img-src https: http: data:',
        'font-src https:',
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send('<!doctype html><html lang="en"><head><title>Message</title></head><body></body></html>')
}
