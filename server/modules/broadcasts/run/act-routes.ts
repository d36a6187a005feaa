import { problemResponses } from '../../../platform/http/answers.ts'
import type { HttpApp } from '../../../platform/http/server.ts'
import { closed, Id } from '../../../platform/schema/schemas.ts'
import type { Caller } from '../../auth/caller.ts'
import type { Door } from '../../auth/door.ts'
import { ResolveBody } from '../report/report-schemas.ts'
import { BroadcastSummary, ScheduleBody } from '../schemas.ts'
import { type StartDeps, scheduleBroadcast, sendBroadcast, unscheduleBroadcast } from './start-broadcast.ts'
import {
  cancelBroadcast,
  pauseBroadcast,
  resolveUncertain,
  resumeBroadcast,
  retryFailedMessages,
} from './steer-broadcast.ts'

const tags = ['Broadcasts']
/** Before it is sent it is rendered and its audience is counted. */
const START_DEADLINE_MS = 8_000

type Act = (deps: StartDeps, caller: Caller, id: string) => Promise<BroadcastSummary>
type Texts = { path?: string; summary: string; description: string }

/** What has mail go out, or keeps it from it: alike on both surfaces. */
export function actRoutes(app: HttpApp, deps: StartDeps, door: Door): void {
  const base = `${door.base}/broadcasts/:id`
  const operation = (verb: string) => `${door.family}Broadcasts_${verb}`
  const send = door.needs('broadcasts:send')
  const params = closed({ ...door.params, id: Id })
  const response = { 202: BroadcastSummary, ...problemResponses(409, 422) }

  /** What takes nothing but the broadcast itself; its path is its verb, unless `path` says otherwise. */
  const act = (verb: string, run: Act, { path = verb, ...texts }: Texts) =>
    app.post(
      `${base}/${path}`,
      {
        schema: {
          operationId: operation(verb),
          tags,
          ...texts,
          params,
          response: { 202: BroadcastSummary, ...problemResponses(409) },
        },
        config: send,
      },
      async (request, reply) => reply.code(202).send(await run(deps, request.caller, request.params.id)),
    )

  app.post(
    `${base}/send`,
    {
      schema: {
        operationId: operation('send'),
        tags,
        summary: 'Send a broadcast',
        description:
          'Starts it now. Its audience is frozen as it is, and each of it gets an outcome. What the preflight finds in the ' +
          'way is answered 422; of what is no draft any more 409.',
        params,
        response,
      },
      config: { ...send, deadlineMs: START_DEADLINE_MS },
    },
    async (request, reply) => reply.code(202).send(await sendBroadcast(deps, request.caller, request.params.id)),
  )

  app.post(
    `${base}/schedule`,
    {
      schema: {
        operationId: operation('schedule'),
        tags,
        summary: 'Schedule a broadcast',
        description:
          'Has it start by itself at `scheduledAt`; or, with `localTime`, be due to each contact when that time comes to ' +
          'its own zone (whose it has passed by then is written to at once). One that is scheduled gets another time.',
        params,
        body: ScheduleBody,
        response,
      },
      config: { ...send, deadlineMs: START_DEADLINE_MS },
    },
    async (request, reply) => {
      const { id } = request.params
      return reply.code(202).send(await scheduleBroadcast(deps, request.caller, { id, body: request.body }))
    },
  )

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
      'Only messages that failed; each keeps its Message-ID. Whoever must not be mailed by now is dropped. 409 when none ' +
      'failed.',
  })

  app.post(
    `${base}/resolve-uncertain`,
    {
      schema: {
        operationId: operation('resolveUncertain'),
        tags,
        summary: 'Decide on messages whose fate nobody knows',
        description: 'Those that were handed over without an answer. 409 when there are none.',
        params,
        body: ResolveBody,
        response: { 202: BroadcastSummary, ...problemResponses(409) },
      },
      config: send,
    },
    async (request, reply) => {
      const given = { id: request.params.id, as: request.body.as }
      return reply.code(202).send(await resolveUncertain(deps, request.caller, given))
    },
  )
}
