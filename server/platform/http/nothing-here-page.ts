import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../html.ts'
import { sendPage } from './page.ts'

/** Paths of programs: whoever asks there reads problems. */
const OF_PROGRAMS = /^\/(api|site|collect)(\/|$)/

/** Whether somebody in a browser asks for a path that leads nowhere. */
export function isLostVisitor({ method, url, is404, headers }: FastifyRequest): boolean {
  if (!is404 || (method !== 'GET' && method !== 'HEAD') || OF_PROGRAMS.test(url)) return false
  return (headers.accept ?? '').toLowerCase().includes('text/html')
}

/** A 404 for people, with a way on. */
export function sendNothingHere(reply: FastifyReply): FastifyReply {
  const body = html`<main class="narrow"><div class="card"><h1>Nothing is here</h1>
<p>There is no page at this address. Perhaps a part of it is missing.</p>
<p class="row"><a class="button" href="/">Go to the beginning</a> <a href="/docs/">API reference</a></p></div></main>`
  return sendPage(reply.header('x-robots-tag', 'noindex'), { title: 'Nothing is here', body }, 404)
}
