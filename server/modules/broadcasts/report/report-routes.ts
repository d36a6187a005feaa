import { csvAnswer } from '../../../platform/http/answers.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { type Door, routesOf } from '../../door.ts'
import { MailSeries, SeriesQuery } from '../../overview/schemas.ts'
import type { SenderDeps } from '../../sending/judge-sender.ts'
import { COMPILE_DEADLINE_MS } from '../../templates/template-limits.ts'
import { openersKnownUntil, type UnopenedDeps } from '../draft-for-unopened.ts'
import { type ExplainDeps, explainBroadcast } from './explain-broadcast.ts'
import { explainRecipient } from './explain-recipient.ts'
import { BroadcastExplanation, RecipientExplanation } from './explain-schemas.ts'
import { exportRecipients } from './export-recipients.ts'
import { readBroadcastSeries } from './read-broadcast-series.ts'
import { type HeatMapDeps, readHeatMap } from './read-heat-map.ts'
import { listRecipients, readReport } from './read-report.ts'
import { HeatMap, HeatMapQuery, Recipients, RecipientsFileQuery, RecipientsQuery, Report } from './report-schemas.ts'

const keyOf = (request: { caller: { workspaceId: string }; params: { id: string } }) => ({
  workspaceId: request.caller.workspaceId,
  id: request.params.id,
})

/** For a file of some millions of recipients to leave. */
const FILE_DEADLINE_MS = 1_800_000

type Deps = ExplainDeps & SenderDeps & HeatMapDeps & Pick<UnopenedDeps, 'eventsDays'>

/** Reports of a broadcast, alike on both surfaces. */
export function reportRoutes(app: HttpApp, deps: Deps, door: Door): void {
  const routes = routesOf(app, door, { path: '/broadcasts/:id', family: 'Broadcasts' })

  routes.get('/report', 'report', {
    needs: 'broadcasts:read',
    summary: 'Read the report of a broadcast',
    description:
      'The fates of its recipients, counted at one moment: `recipientsTotal` is always the sum of pending, accepted, ' +
      'failed, suppressed, skipped and uncertain. Opens and clicks are those of people; machines are told apart.',
    answers: { 200: Report },
    handle: async (request) => {
      const report = await readReport(deps.sql, keyOf(request))
      return { ...report, openersKnownUntil: openersKnownUntil(report.startedAt, deps.eventsDays) }
    },
  })

  routes.get('/series', 'series', {
    needs: 'broadcasts:read',
    summary: 'Read how a broadcast went, hour by hour',
    description:
      'By hour (of 32 days at most) or day (of 400), `hour` when not said; without `from` and `to` the first week. Its ' +
      'sums are those of the report where it covers all the time since.',
    query: SeriesQuery,
    answers: { 200: MailSeries },
    handle: async (request) => readBroadcastSeries(deps.sql, keyOf(request), request.query),
  })

  routes.get('/recipients', 'recipients', {
    needs: 'broadcasts:read',
    summary: 'List the recipients of a broadcast',
    description: 'Person by person, in the order they were planned.',
    query: RecipientsQuery,
    answers: { 200: Recipients },
    handle: async (request) => listRecipients(deps.sql, keyOf(request), request.query),
  })

  routes.get('/heat-map', 'heatMap', {
    needs: 'broadcasts:read',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Read where people clicked in the mail of a broadcast',
    description:
      'The mail as a contact or a sample person got it, and the clicks of each of its links: those of people, and apart ' +
      'from them those of machines.',
    query: HeatMapQuery,
    answers: { 200: HeatMap },
    problems: [409, 422],
    handle: async (request) =>
      readHeatMap(deps, request.caller, { id: request.params.id, contactId: request.query.contactId }),
  })

  recipientRoutes(app, deps, door)
}

/** Taking its recipients along, and explaining it and them. */
function recipientRoutes(app: HttpApp, deps: ExplainDeps & SenderDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/broadcasts/:id', family: 'Broadcasts' })

  routes.get('/recipients/export', 'exportRecipients', {
    needs: 'broadcasts:read',
    summary: 'Download the recipients of a broadcast',
    description:
      'All that the filters let through, as CSV, in the order they were planned. Taking it is recorded as ' +
      '`broadcast.export_recipients`.',
    query: RecipientsFileQuery,
    answers: { 200: csvAnswer('The recipients.') },
    produces: ['text/csv'],
    deadlineMs: FILE_DEADLINE_MS,
    handle: async (request, reply) => {
      const { id } = request.params
      const file = await exportRecipients(deps.sql, request.caller, { id, filter: request.query })
      return reply.type('text/csv; charset=utf-8').send(file)
    },
  })

  routes.get('/recipients/:contactId/explain', 'explainRecipient', {
    needs: 'broadcasts:read',
    summary: 'Explain why a contact got a broadcast, did not, or would',
    description:
      'Of one that was sent as `GET /messages/{id}/explain`; before that, whether the contact is in its audience, and ' +
      'what stands against mailing them.',
    answers: { 200: RecipientExplanation },
    problems: [422],
    handle: async (request) => explainRecipient(deps, keyOf(request), request.params.contactId),
  })

  routes.get('/explain', 'explain', {
    needs: 'broadcasts:read',
    summary: 'Explain where a broadcast stands',
    description:
      'Why it does not move, or not faster: its schedule, planning, sender, limits, pauses that receivers asked for, ' +
      'what waits and who is to send it. `./postroom broadcast explain <id>` prints the same.',
    answers: { 200: BroadcastExplanation },
    handle: async (request) => explainBroadcast(deps, keyOf(request)),
  })
}
