import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { challengeFailed, invalid, notFound, originNotAllowed, tooManyRequests } from '../../catalogue/problems.ts'
import { assertNever } from '../../platform/assert-never.ts'
import { refuseCoding } from '../../platform/http/content-coding.ts'
import { takeForms } from '../../platform/http/form-body.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { parseJsonBody } from '../../platform/json/exact-json.ts'
import { isPlainObject } from '../../platform/json/plain-object.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { clientIp } from '../auth/client-ip.ts'
import { isSameOrigin } from '../auth/same-origin.ts'
import { readerTexts } from '../readers/reader-texts.ts'
import { sendReaderFault, sendUnknownLink } from '../tracking/link-page.ts'
import { type FoundForm, findForm } from './find-form.ts'
import { definitionOf } from './form-definition.ts'
import { type Refilled, sendFormPage } from './form-pages.ts'
import { giveChallenge } from './give-challenge.ts'
import { showForm } from './show-form.ts'
import { fieldError } from './submit-own.ts'
import { type AskingPage, mayShow, type TakeDeps, type Taken, takeArrival } from './take-submission.ts'

/** `ownOrigin` is that of our own pages, as far as we know it. */
export type CollectDeps = TakeDeps & { ownOrigin: string }

const PATH = '/collect/forms/:formKey'
const FORM_BYTES_MAX = 16 * 1024
const JSON_TYPES = /^(?:application\/json|text\/plain)(?:\s*;|$)/i
const params = closed({ formKey: Type.String() })
/** The key of the form stands in the path. */
const config = { collect: 'own' } as const
/** Of routes that take a body: what a route states goes before what its parser does. */
const bodyLimit = FORM_BYTES_MAX

/**
 * The part of forms that browsers have, wherever they stand: the definition, and the way in, by a script or without one. The
 * guard of `/collect` (trackers/guard-collect.ts) stands before them.
 */
export function collectForms(app: HttpApp, deps: CollectDeps): void {
  app.register(async (scope) => {
    takeForms(scope as HttpApp)
    const json = { parseAs: 'buffer' } as const
    scope.addContentTypeParser(JSON_TYPES, json, (request, body: Buffer, parsed) => {
      try {
        refuseCoding(request)
        parsed(null, parseJsonBody(body))
      } catch (error) {
        parsed(error as Error, undefined)
      }
    })
    scope.setErrorHandler((error, request, reply) => {
      if (!isPlainForm(request)) throw error
      return sendReaderFault(error, request, reply)
    })
    const routes = scope as HttpApp

    routes.get(
      PATH,
      { schema: { hide: true, operationId: 'CollectForms_get', params }, config },
      async (request, reply) => {
        const shown = await showForm(deps, request.params.formKey)
        if (shown === undefined || shown.form.content.state === 'paused') throw notFound()
        const page = pageOf(deps, request)
        if (page.origin !== undefined && !mayShow(shown.form, page)) throw unreadable(reply)
        return definitionOf(shown)
      },
    )

    routes.post(
      `${PATH}/challenge`,
      { schema: { hide: true, operationId: 'CollectChallenges_create', params }, config, bodyLimit },
      async (request, reply) => {
        const form = await findForm(deps.sql, request.params.formKey)
        if (form === undefined || form.content.state === 'paused') throw notFound()
        if (!mayShow(form, pageOf(deps, request))) throw unreadable(reply)
        const { renderToken } = isPlainObject(request.body) ? request.body : {}
        const challenge = await giveChallenge(deps, form, renderToken)
        if (challenge === undefined)
          throw challengeFailed('The form asks for no work, or was not shown by us: renderToken.')
        return challenge
      },
    )

    routes.post(
      PATH,
      { schema: { hide: true, operationId: 'CollectForms_submit', params }, config, bodyLimit },
      async (request, reply) => {
        const form = await findForm(deps.sql, request.params.formKey)
        const given = isPlainObject(request.body) ? request.body : {}
        if (isPlainForm(request)) return submitPlain(deps, { form, given, request, reply })
        if (form === undefined || form.content.state === 'paused') throw notFound()
        if (!isPlainObject(request.body)) throw invalid([{ pointer: '', detail: 'must be an object' }])
        const taken = await takeArrival(deps, form, arrivalOf(deps, request, given))
        refuse(taken, reply)
        return reply.code(202).send({ status: 'check-your-mail' })
      },
    )
  })
}

/** The refusal of a page that the form is not for, which that page does not get to read. */
function unreadable(reply: FastifyReply) {
  reply.removeHeader('access-control-allow-origin')
  return originNotAllowed()
}

/** Throws for everything that whoever filled in the form is told. */
function refuse(taken: Taken, reply: FastifyReply): void {
  switch (taken.outcome) {
    case 'taken':
      return
    case 'gone':
      throw notFound()
    case 'origin':
      throw unreadable(reply)
    case 'not_shown':
      throw challengeFailed('The form was shown too long ago, a moment ago only, or not by us: renderToken.')
    case 'challenge':
      throw challengeFailed(
        'The work of the challenge was not done for this form as it was shown, or was sent before: altcha.',
      )
    case 'crowd':
      throw tooManyRequests(taken.retryAfterSeconds)
    case 'faults':
      throw invalid(taken.faults.map((fault) => fieldError(fault)))
    default:
      assertNever(taken)
  }
}

type Plain = {
  form: FoundForm | undefined
  given: Readonly<Record<string, unknown>>
  request: FastifyRequest
  reply: FastifyReply
}

/** Answers a browser without a script with pages. A form that we have not shown is shown, filled in, for one more press. */
async function submitPlain(deps: CollectDeps, { form, given, request, reply }: Plain): Promise<FastifyReply> {
  if (form === undefined) return sendUnknownLink(reply)
  const shown = await showForm(deps, form.key)
  if (shown === undefined) return sendUnknownLink(reply)
  if (form.content.state === 'paused') return sendFormPage(reply, shown)
  const texts = readerTexts(shown.brand.language)
  const again = (filled: Refilled) => sendFormPage(reply, shown, { status: 422, given, ...filled })
  const taken = await takeArrival(deps, form, arrivalOf(deps, request, given))
  switch (taken.outcome) {
    case 'taken':
      return reply.redirect(
        form.content.successUrl ? new URL(form.content.successUrl).href : `/f/${form.key}/done`,
        303,
      )
    case 'gone':
      return sendUnknownLink(reply)
    case 'not_shown': {
      // Pressed too soon it stays as old as it is: a new one would always be too young for who presses at once.
      const renderToken = taken.isEarly ? String(given.renderToken) : shown.renderToken
      return sendFormPage(reply, { ...shown, renderToken }, { status: 422, given, note: texts.onceMoreText })
    }
    case 'challenge':
      return again({ note: texts.onceMoreText })
    case 'faults':
      return again({ note: texts.faultsText, faults: taken.faults })
    case 'crowd':
      reply.header('retry-after', String(Math.ceil(taken.retryAfterSeconds)))
      return again({ note: texts.crowdText, status: 429 })
    case 'origin':
      throw originNotAllowed()
    default:
      return assertNever(taken)
  }
}

/** Where `APP_URL` says otherwise, or nothing, a page is ours too that has the host which it asks. */
function pageOf({ ownOrigin }: CollectDeps, { method, headers }: FastifyRequest): AskingPage {
  const { origin } = headers
  return { origin, isOwn: origin !== undefined && method === 'POST' && isSameOrigin(method, headers, ownOrigin) }
}

function arrivalOf(deps: CollectDeps, request: FastifyRequest, given: Readonly<Record<string, unknown>>) {
  const { 'user-agent': agent = '', 'sec-ch-ua': brands } = request.headers
  const isHeadless = /HeadlessChrome/.test(`${agent} ${String(brands ?? '')}`) || given.webdriver === 'true'
  return { given, ip: clientIp(request), page: pageOf(deps, request), isPlain: isPlainForm(request), isHeadless }
}

function isPlainForm({ headers }: FastifyRequest): boolean {
  return /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
}
