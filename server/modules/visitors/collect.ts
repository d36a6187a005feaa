import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { COLLECT_DOOR, routesOf } from '../door.ts'
import { collectRoutes, trackerOf } from '../trackers/guard-collect.ts'
import { browserSigns } from './drop-browser.ts'
import { type ForgetDeps, forgetVisitor } from './forget-visitor.ts'
import { noteTrackingConsent } from './note-tracking-consent.ts'
import { type BrowserDeps, recordBrowserEvents } from './record-browser-events.ts'
import { CollectConsentBody, CollectEventsBody, CollectForgetBody, CollectRejections } from './schemas.ts'

export type CollectDeps = BrowserDeps &
  ForgetDeps & {
    /** Whether browsers trust this address, and so say how they fetch. */
    isHttps: boolean
  }

const PROBLEMS = [422, 429]

/** Routes for pages, under the public key of a tracker. */
export function visitorsCollect(app: HttpApp, deps: CollectDeps): void {
  collectRoutes(app, (scope) => {
    eventRoutes(scope, deps)
    visitorRoutes(scope, deps)
  })
}

function eventRoutes(scope: HttpApp, deps: CollectDeps): void {
  const routes = routesOf(scope, COLLECT_DOOR, { path: '/events', family: 'Events' })

  routes.post('', 'create', {
    needs: 'tracker',
    summary: 'Record events of a browser',
    description: '204 means that all of them are durable; 200 names those that do not fit, the others are durable.',
    body: CollectEventsBody,
    answers: { 204: nothing('Recorded.'), 200: CollectRejections },
    problems: PROBLEMS,
    commitsAlways: true,
    async handle(request, reply) {
      const { body, headers } = request
      const signs = browserSigns(headers, { expectsMetadata: deps.isHttps || request.protocol === 'https' })
      const recorded = await recordBrowserEvents(deps, trackerOf(request), { body, signs })
      const isAll = recorded.rejected.length === 0 && recorded.visitorId === undefined
      reply.code(isAll ? 204 : 200)
      return isAll ? null : recorded
    },
  })
}

function visitorRoutes(scope: HttpApp, deps: CollectDeps): void {
  const consent = routesOf(scope, COLLECT_DOOR, { path: '/consent', family: 'Consent' })
  const forget = routesOf(scope, COLLECT_DOOR, { path: '/forget', family: 'Visitors' })

  consent.post('', 'create', {
    needs: 'tracker',
    summary: 'Note that a person allows or denies tracking',
    description: 'In the consent history of whom the visitor is known as; of nobody, nothing is kept.',
    body: CollectConsentBody,
    answers: { 204: nothing('Noted.') },
    problems: PROBLEMS,
    handle: async (request) => noteTrackingConsent(deps, trackerOf(request), request.body),
  })

  forget.post('', 'forget', {
    needs: 'tracker',
    summary: 'Forget a visitor',
    description: 'Erases the events of the visitor that belong to no contact, and that the visitor was anybody’s.',
    body: CollectForgetBody,
    answers: { 202: nothing('It follows.') },
    problems: PROBLEMS,
    async handle(request, reply) {
      await forgetVisitor(deps, trackerOf(request), request.body.visitorId)
      return reply.code(202).send()
    },
  })
}
