import type { FastifyReply, FastifyRequest } from 'fastify'
import { PROBLEMS } from '../../catalogue/problems.ts'
import { html } from '../../platform/html.ts'
import { takeForms } from '../../platform/http/form-body.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { type Page, sendPage } from '../../platform/http/page.ts'
import { toProblem } from '../../platform/http/to-problem.ts'
import type { Problem } from '../../platform/problem.ts'
import { cardPage, loginFor } from './app-page.ts'

/** Declares pages: their forms are taken, and a person is told of every fault in words, or led to the login. */
export function declarePages(app: HttpApp, declare: (pages: HttpApp) => void): void {
  app.register(async (pages: HttpApp) => {
    takeForms(pages)
    pages.setErrorHandler((error, request, reply) => answerFault(toProblem(error), request, reply))
    declare(pages)
  })
}

function answerFault(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { statusCode, title, code } = problem
  request.server.tellFault(problem, reply)
  if (code === PROBLEMS.noSession.code) return reply.redirect(loginFor(request), 303)
  if (statusCode === 503) return sendPage(reply.headers(problem.headers), busyPage(request), statusCode)
  const text = faultText(problem)
  // A fault without a detail says no more than its title.
  const content = html`${text !== `${title}.` && html`<p>${text}</p>`}<p class="soft">Request ${request.id}</p>
<p><a class="button plain" href="/app">To the dashboard</a></p>`
  return sendPage(reply.headers(problem.headers), cardPage(title, content), statusCode)
}

/** For a server that is away or at its limit: what was sent may have been done, and the dashboard, or its login, shows whether. */
export function busyPage({ method, url, id }: Pick<FastifyRequest, 'method' | 'url' | 'id'>): Page {
  const [outcome, to, label] =
    method === 'GET'
      ? ['Try again in a moment.', url, 'Try again']
      : [
          'What you have sent may have been done all the same: look before you send it again.',
          '/app',
          'To the dashboard',
        ]
  const content = html`<p>It did not answer in time. ${outcome}</p><p class="soft">Request ${id}</p>
<p><a class="button" href="${to}">${label}</a></p>`
  return cardPage('The server is busy', content)
}

/** The fault, in a sentence for the person who filled in the form. */
export function faultText({ errors, detail, title, headers, statusCode }: Problem): string {
  const wait = headers['retry-after']
  if (statusCode === 429 && wait !== undefined) return `Too many tries. Try again in ${waitText(Number(wait))}.`
  const [fault] = errors ?? []
  const field = fault?.pointer.slice(1)
  if (fault !== undefined) return field ? `The ${field} ${fault.detail}.` : `It ${fault.detail}.`
  return detail ?? `${title}.`
}

function waitText(seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
