import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../html.ts'
import { LOGO } from './docs-bar.ts'
import { sendPage } from './page.ts'

/** Paths of programs: whoever asks there reads problems. */
const OF_PROGRAMS = /^\/(api|site|collect)(\/|$)/

/** Paths below which are pages that have names. */
const OF_PAGES = /^\/docs\//

/** Whether somebody in a browser asks for a path that leads nowhere, or for a page that there is not. */
export function isLostVisitor({ method, url, is404, headers }: FastifyRequest): boolean {
  if (!(is404 || OF_PAGES.test(url)) || (method !== 'GET' && method !== 'HEAD') || OF_PROGRAMS.test(url)) return false
  return (headers.accept ?? '').toLowerCase().includes('text/html')
}

/** A 404 for people, with a way on. */
export function sendNothingHere(reply: FastifyReply): FastifyReply {
  const body = html`<main class="narrow"><p class="mark">${LOGO}</p><div class="card"><h1>Nothing is here</h1>
<p>There is no page at this address. Perhaps a part of it is missing.</p>
<p class="row"><a class="button" href="/">To the dashboard</a> <a class="button plain" href="/docs/guides/">Guides</a> <a class="button plain" href="/docs/">API</a></p></div></main>`
  return sendPage(reply.header('x-robots-tag', 'noindex'), { title: 'Nothing is here', body }, 404)
}
