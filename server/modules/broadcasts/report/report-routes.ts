import type { HttpApp } from '../../../platform/http/server.ts'
import { type Door, routesOf } from '../../door.ts'
import { type ExplainDeps, explainBroadcast } from './explain-broadcast.ts'
import { BroadcastExplanation } from './explain-schemas.ts'
import { listRecipients, readReport } from './read-report.ts'
import { Recipients, RecipientsQuery, Report } from './report-schemas.ts'

/** Reports of a broadcast, alike on both surfaces. */
export function reportRoutes(app: HttpApp, deps: ExplainDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/broadcasts/:id', family: 'Broadcasts' })
  const keyOf = (request: { caller: { workspaceId: string }; params: { id: string } }) => ({
    workspaceId: request.caller.workspaceId,
    id: request.params.id,
  })

  routes.get('/report', 'report', {
    needs: 'broadcasts:read',
    summary: 'Read the report of a broadcast',
    description:
      'The fates of its recipients, counted at one moment: `recipientsTotal` is always the sum of pending, accepted, ' +
      'failed, suppressed, skipped and uncertain. Opens and clicks are those of people; machines are told apart.',
    answers: { 200: Report },
    handle: async (request) => readReport(deps.sql, keyOf(request)),
  })

  routes.get('/recipients', 'recipients', {
    needs: 'broadcasts:read',
    summary: 'List the recipients of a broadcast',
    description: 'Person by person, in the order they were planned.',
    query: RecipientsQuery,
    answers: { 200: Recipients },
    handle: async (request) => listRecipients(deps.sql, keyOf(request), request.query),
  })

  routes.get('/explain', 'explain', {
    needs: 'broadcasts:read',
    summary: 'Explain where a broadcast stands',
    description:
      'Why it does not move, or not faster: its schedule, planning, sender, limits, pauses that receivers asked for, ' +
      'what waits and who is to send it. `postroom broadcast explain <id>` prints the same.',
    answers: { 200: BroadcastExplanation },
    handle: async (request) => explainBroadcast(deps, keyOf(request)),
  })
}
