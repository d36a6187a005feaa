import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../platform/html.ts'
import { takeForms } from '../../platform/http/form-body.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { toProblem } from '../../platform/http/to-problem.ts'
import { sendReaderPage } from '../readers/reader-page.ts'
import { languageAsked, readerTexts } from '../readers/reader-texts.ts'

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
    pages.setErrorHandler((error, request, reply) => sendReaderFault(error, request, reply))
    declare(pages)
  })
}

/** In words for a person; the status and Retry-After for the mail program that tries again. */
export function sendReaderFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error)
  const { statusCode, title, headers } = problem
  request.server.tellFault(problem, reply)
  const language = languageOf(request)
  const texts = readerTexts(language)
  const [fault] = problem.errors ?? []
  const wait = statusCode === 429 && texts.waitText
  const text = statusCode >= 500 ? texts.failedText : (fault?.detail ?? title)
  const content = html`<p>${wait || text}</p>`
  return sendReaderPage(reply.headers(headers), {
    title: texts.failedTitle,
    content,
    brand: null,
    language,
    status: statusCode,
  })
}

const languageOf = (request: FastifyRequest) => languageAsked(request.headers['accept-language'])

/** The page for a token that we did not make, in the language of who asks. */
export function sendUnknownLink(reply: FastifyReply): FastifyReply {
  const language = languageOf(reply.request)
  const { unknownTitle, unknownText } = readerTexts(language)
  const content = html`<p>${unknownText}</p>`
  return sendReaderPage(reply, { title: unknownTitle, content, brand: null, language, status: 404 })
}

/**
 * Leads from what was posted to the page of the link, which shows what is stored: Back and a reload post nothing once more. `done` is a
 * name in the query, for a page that says so. A mail program that posts by RFC 8058 is never led anywhere (section 3.1).
 */
export function leadToPage(reply: FastifyReply, path: string, done?: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(done === undefined ? path : `${path}?${done}`, 303)
}

/** Whether a page was led to as the one that says so. */
export const isDone = ({ query }: FastifyRequest, done: string): boolean => done in (query as object)
