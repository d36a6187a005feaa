import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '../../platform/html.ts'
import { DOCS_BAR, LOGO } from '../../platform/http/docs-bar.ts'
import { type Page, sendPage } from '../../platform/http/page.ts'
import { PASSWORD_CHARS_MIN } from '../auth/password-rule.ts'

/** Shows a page to somebody who is logged in: the bar on top, then what the page is about. */
export function sendAppPage(reply: FastifyReply, { body, ...page }: Page, status = 200): FastifyReply {
  const bar = html`<header class="bar">${LOGO}<a href="/app">Dashboard</a><a href="/app/mailbox">Mailbox</a><a href="/docs/">API</a>
<form method="post" action="/app/logout"><button class="plain">Log out</button></form></header>`
  return sendPage(reply, { ...page, body: html`${bar}<main>${body}</main>` }, status)
}

/** Shows a page of the documentation, to anybody. */
export function docsPage(reply: FastifyReply, { body, ...page }: Page): FastifyReply {
  return sendPage(reply, { ...page, body: html`${DOCS_BAR}<main>${body}</main>` })
}

/** A page with one card, for who need not be logged in. */
export function cardPage(title: string, content: Html): Page {
  return {
    title: `${title} · Postroom`,
    body: html`<main class="narrow"><p class="mark">${LOGO}</p><div class="card"><h1>${title}</h1>${content}</div></main>`,
  }
}

/** For somebody with an account who may see nothing yet. */
export function noWorkspacePage(email: string): Page {
  return cardPage(
    'No workspace yet',
    html`<p>You are logged in as ${email}, and belong to no workspace.</p>
<p>Ask an owner or admin of one to invite you: the link of the invitation leads you in.</p>
<form class="stack" method="post" action="/app/logout"><button class="plain">Log out</button></form>`,
  )
}

/** Said before a password is chosen, not after it was refused. */
export const PASSWORD_HINT = `At least ${PASSWORD_CHARS_MIN} characters.`

export function notice(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="notice" role="alert">${text}</p>`
}

const LOCAL_PATH = /^\/app(?:\/[\w/?&=%.~*+:,-]*)?$/

/** Where to go on after a login: a page of ours, whatever was asked for. With a slash at its end `/app` is no page. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && LOCAL_PATH.test(next) && next !== '/app/' ? next : '/app'
}

/** Signs that mean nothing in our addresses, and that clients need not encode in theirs: `state=it's(me)!`. */
const ODD_SIGN = /[^\w/?&=%.~*+:,-]/g

/** The login page that leads back to what was asked for. */
export function loginFor(request: FastifyRequest): string {
  if (request.method !== 'GET') return '/app/login'
  const next = request.url.replaceAll(ODD_SIGN, (sign) => `%${Buffer.from(sign, 'latin1').toString('hex')}`)
  return `/app/login?next=${encodeURIComponent(safeNext(next))}`
}
