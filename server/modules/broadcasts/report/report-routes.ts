import type { HttpApp } from '../../../platform/http/server.ts'
import { closed, Id } from '../../../platform/schema/schemas.ts'
import type { Door } from '../../auth/door.ts'
import { type ExplainDeps, explainBroadcast } from './explain-broadcast.ts'
import { BroadcastExplanation } from './explain-schemas.ts'
import { listRecipients, readReport } from './read-report.ts'
import { Recipients, RecipientsQuery, Report } from './report-schemas.ts'

const tags = ['Broadcasts']

/** What became of a broadcast, alike on both surfaces. */
export function reportRoutes(app: HttpApp, deps: ExplainDeps, door: Door): void {
  const base = `${door.base}/broadcasts/:id`
  const operation = (verb: string) => `${door.family}Broadcasts_${verb}`
  const read = door.needs('broadcasts:read')
  const params = closed({ ...door.params, id: Id })
  const keyOf = (request: { caller: { workspaceId: string }; params: { id: string } }) => ({
    workspaceId: request.caller.workspaceId,
    id: request.params.id,
  })

  app.get(
    `${base}/report`,
    {
      schema: {
        operationId: operation('report'),
        tags,
        summary: 'Read the report of a broadcast',
        description:
          'What became of each recipient, counted at one moment: `recipientsTotal` is always the sum of pending, accepted, ' +
          'failed, suppressed, skipped and uncertain. Opens and clicks are those of people; machines are told apart.',
        params,
        response: { 200: Report },
      },
      config: read,
    },
    async (request) => readReport(deps.sql, keyOf(request)),
  )

  app.get(
    `${base}/recipients`,
    {
      schema: {
        operationId: operation('recipients'),
        tags,
        summary: 'List the recipients of a broadcast',
        description: 'Person by person, in the order they were planned.',
        params,
        querystring: RecipientsQuery,
        response: { 200: Recipients },
      },
      config: read,
    },
    async (request) => listRecipients(deps.sql, keyOf(request), request.query),
  )

  app.get(
    `${base}/explain`,
    {
      schema: {
        operationId: operation('explain'),
        tags,
        summary: 'Explain where a broadcast stands',
        description:
          'Why it does not move, or not faster: its schedule, planning, sender, limits, pauses that receivers asked for, ' +
          'what waits and who is to send it. `postroom broadcast explain <id>` prints the same.',
        params,
        response: { 200: BroadcastExplanation },
      },
      config: read,
    },
    async (request) => explainBroadcast(deps, keyOf(request)),
  )
}
