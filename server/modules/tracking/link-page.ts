import type { FastifyReply } from 'fastify'
import { type Html, html } from '../../platform/http/html.ts'
import { sendPage } from '../../platform/http/page.ts'

/** Answers a person who came by a link in a mail: one card, nothing of ours around it, and nothing for search engines. */
export function sendLinkPage(reply: FastifyReply, title: string, content: Html, status = 200): FastifyReply {
  const body = html`<main class="narrow"><div class="card"><h1>${title}</h1>${content}</div></main>`
  return sendPage(reply.header('x-robots-tag', 'noindex'), { title, body }, status)
}

/** The page for a token that we did not make. */
export function sendUnknownLink(reply: FastifyReply): FastifyReply {
  const advice = html`<p>Perhaps a part of it got lost on the way. Open it from the mail again, or copy the whole of it.</p>`
  return sendLinkPage(reply, 'This link does not work', advice, 404)
}
