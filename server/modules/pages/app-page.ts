import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '../../platform/html.ts'
import { type Page, sendPage } from '../../platform/http/page.ts'

/** Ours, as the browser's tab has it. */
const LOGO = html`<span class="logo"><svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#3549c4"/>
<path d="M8 11.5h16v9.5a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 8 21zM8.6 11l7.4 6 7.4-6" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>Postroom</span>`

/** Shows a page to somebody who is logged in: the bar on top, then what the page is about. */
export function sendAppPage(reply: FastifyReply, { body, ...page }: Page, status = 200): FastifyReply {
  const bar = html`<header class="bar">${LOGO}<a href="/app">Dashboard</a><a href="/app/mailbox">Mailbox</a><a href="/docs/">API</a>
<form method="post" action="/app/logout"><button class="plain">Log out</button></form></header>`
  return sendPage(reply, { ...page, body: html`${bar}<main>${body}</main>` }, status)
}

/** Shows a page of the documentation, to anybody. */
export function docsPage(reply: FastifyReply, { body, ...page }: Page): FastifyReply {
  const bar = html`<header class="bar">${LOGO}<a href="/docs/guides/">Guides</a><a href="/docs/">API</a><a href="/app">Dashboard</a></header>`
  return sendPage(reply, { ...page, body: html`${bar}<main>${body}</main>` })
}

/** A page with one card, for who need not be logged in. */
export function cardPage(title: string, content: Html): Page {
  return {
    title: `${title} · Postroom`,
    body: html`<main class="narrow"><p class="mark">${LOGO}</p><div class="card"><h1>${title}</h1>${content}</div></main>`,
  }
}

export function notice(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="notice" role="alert">${text}</p>`
}

const LOCAL_PATH = /^\/app(?:\/[\w/?&=%.~*+:,-]*)?$/

/** Where to go on after a login: a page of ours, whatever was asked for. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && LOCAL_PATH.test(next) ? next : '/app'
}

/** Signs that mean nothing in our addresses, and that clients need not encode in theirs: `state=it's(me)!`. */
const ODD_SIGN = /[^\w/?&=%.~*+:,-]/g

/** The login page that leads back to what was asked for. */
export function loginFor(request: FastifyRequest): string {
  if (request.method !== 'GET') return '/app/login'
  const next = request.url.replaceAll(ODD_SIGN, (sign) => `%${Buffer.from(sign, 'latin1').toString('hex')}`)
  return `/app/login?next=${encodeURIComponent(safeNext(next))}`
}
