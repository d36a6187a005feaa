import type { HttpApp } from '../../../platform/http/http-app.ts'
import { mayBeAbsent } from '../../../platform/schema/schemas.ts'
import type { Caller } from '../../auth/caller.ts'
import { type Door, routesOf } from '../../door.ts'
import { ResolveBody } from '../report/report-schemas.ts'
import { BroadcastSummary, ScheduleBody, SendBody } from '../schemas.ts'
import { type StartDeps, scheduleBroadcast, sendBroadcast, unscheduleBroadcast } from './start-broadcast.ts'
import {
  cancelBroadcast,
  pauseBroadcast,
  resolveUncertain,
  resumeBroadcast,
  retryFailedMessages,
} from './steer-broadcast.ts'

/** Before it is sent it is rendered and its audience is counted. */
const START_DEADLINE_MS = 8_000

const place = { path: '/broadcasts/:id', family: 'Broadcasts' } as const

/** The acts that have mail go out: alike on both surfaces. */
export function startRoutes(app: HttpApp, deps: StartDeps, door: Door): void {
  const routes = routesOf(app, door, place)

  routes.post('/send', 'send', {
    needs: 'broadcasts:send',
    summary: 'Send a broadcast',
    description:
      'Starts it now. Its audience is frozen as it is, and each of it gets an outcome. Errors that the preflight ' +
      'finds are answered 422; a broadcast that is no draft any more 409.',
    body: mayBeAbsent(SendBody),
    answers: { 202: BroadcastSummary },
    problems: [409, 422],
    deadlineMs: START_DEADLINE_MS,
    handle: async (request) => sendBroadcast(deps, request.caller, { id: request.params.id, body: request.body }),
  })

  routes.post('/schedule', 'schedule', {
    needs: 'broadcasts:send',
    summary: 'Schedule a broadcast',
    description:
      'Has it start by itself at `scheduledAt`; or, with `localTime`, be due to each contact when that time comes to ' +
      'its own zone (whose it has passed by then is written to at once). One that is scheduled gets another time.',
    body: ScheduleBody,
    answers: { 202: BroadcastSummary },
    problems: [409, 422],
    deadlineMs: START_DEADLINE_MS,
    handle: async (request) => scheduleBroadcast(deps, request.caller, { id: request.params.id, body: request.body }),
  })
}

type Act = (deps: StartDeps, caller: Caller, id: string) => Promise<BroadcastSummary>
type Texts = { path?: string; summary: string; description: string }

/** The acts that keep mail from going out, or have some of it go out again. */
export function actRoutes(app: HttpApp, deps: StartDeps, door: Door): void {
  const routes = routesOf(app, door, place)
  /** An act takes nothing but the broadcast itself; its path is its verb, unless `path` says otherwise. */
  const act = (verb: string, run: Act, { path = verb, ...texts }: Texts) =>
    routes.post(`/${path}`, verb, {
      needs: 'broadcasts:send',
      ...texts,
      answers: { 202: BroadcastSummary },
      problems: [409],
      handle: async (request) => run(deps, request.caller, request.params.id),
    })

  act('unschedule', unscheduleBroadcast, {
    summary: 'Take a broadcast back from its schedule',
    description: 'It is a draft again. So becomes one that failed before anybody was written to.',
  })
  act('pause', pauseBroadcast, {
    summary: 'Pause a broadcast',
    description: 'Nothing more of it goes out; what is being handed over right now comes to its end.',
  })
  act('resume', resumeBroadcast, { summary: 'Resume a broadcast', description: 'It goes on where it was paused.' })
  act('cancel', cancelBroadcast, {
    summary: 'Cancel a broadcast',
    description: 'For good: whoever was not written to yet is skipped with the reason `canceled`.',
  })
  act('retryFailed', retryFailedMessages, {
    path: 'retry-failed',
    summary: 'Send failed messages again',
    description:
      'Only messages that failed; each keeps its Message-ID. People who must not be mailed by now are dropped. 409 ' +
      'when none failed.',
  })

  routes.post('/resolve-uncertain', 'resolveUncertain', {
    needs: 'broadcasts:send',
    summary: 'Decide on messages whose fate nobody knows',
    description: 'Those that were handed over without an answer. 409 when there are none.',
    body: ResolveBody,
    answers: { 202: BroadcastSummary },
    problems: [409],
    handle: async (request) => resolveUncertain(deps, request.caller, { id: request.params.id, as: request.body.as }),
  })
}
