import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '../../platform/html.ts'
import { takeForms } from '../../platform/http/form-body.ts'
import { sendPage } from '../../platform/http/page.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { toProblem } from '../../platform/http/to-problem.ts'

const ANSWER_BYTES_MAX = 16 * 1024

/**
 * Declares the pages that links in mails lead to. They take what forms send; RFC 8058 section 3.1 also has mail programs
 * post multipart/form-data, of which it is enough that it was posted: it arrives as a form without fields.
 */
export function linkPages(app: HttpApp, declare: (pages: HttpApp) => void): void {
  app.register(async (pages: HttpApp) => {
    takeForms(pages)
    const others = { parseAs: 'string', bodyLimit: ANSWER_BYTES_MAX } as const
    pages.addContentTypeParser('*', others, (_request, _body, taken) => taken(null, {}))
    pages.setErrorHandler((error, request, reply) => sendFault(error, request, reply))
    declare(pages)
  })
}

/** In words for a person; the status and Retry-After for the mail program that tries again. */
function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error)
  const { statusCode, title, headers } = problem
  if (statusCode >= 500) request.log.error({ requestId: request.id, err: problem.cause ?? problem }, title)
  const [fault] = problem.errors ?? []
  const wait = statusCode === 429 && 'A mail was sent a moment ago. Please look into your mail first.'
  const text = statusCode >= 500 ? 'Nothing was changed. Please try again in a minute.' : (fault?.detail ?? title)
  return sendLinkPage(reply.headers(headers), 'This did not work', html`<p>${wait || text}</p>`, statusCode)
}

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
