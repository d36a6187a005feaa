import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import type { Caller } from '../auth/caller.ts'
import { type Door, routesOf } from '../door.ts'
import { NODE_ID_CHARS_MAX } from './definition/limits.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'
import { readVersion, readVersions } from './definition/read-versions.ts'
import { readCounts } from './seeing/counts.ts'
import { explainContact } from './seeing/explain.ts'
import { readLift } from './seeing/lift.ts'
import { RUNS_A_PAGE_MAX, readRun, readRuns } from './seeing/read-runs.ts'
import { readResults } from './seeing/results.ts'
import { runsOfContact } from './seeing/runs-of-contact.ts'
import {
  ContactRunPage,
  Counts,
  CountsQuery,
  Explanation,
  Lift,
  LiftQuery,
  Results,
  ResultsQuery,
  RUN_STATES,
  RunPage,
  RunTrace,
  Version,
  VersionSummary,
} from './seeing/schemas.ts'

/** Reads of where people are in an automation, what each of them did, and why. */
export function seeingRoutes(app: HttpApp, { sql }: Pick<DefinitionDeps, 'sql'>, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })
  const needs = 'automations:read'

  routes.get('/:id/counts', 'counts', {
    needs,
    summary: 'Count people at each node',
    description:
      'Exact at every moment: of each node and version entered = here + left + ended. With `last` those alone are counted who came, ' +
      'went on or ended within the last day, week or month.',
    query: CountsQuery,
    answers: { 200: Counts },
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      return readCounts(sql, key, request.query.last)
    },
  })

  routes.get('/:id/runs', 'runs', {
    needs,
    summary: 'List the runs of an automation',
    description:
      'Newest first, live and ended. With `node` or `state` a page looks through some thousands: it may have fewer than `limit`, or none, and a `nextCursor`.',
    query: closed({
      state: Type.Optional(oneOf(RUN_STATES)),
      node: Type.Optional(Type.String({ maxLength: NODE_ID_CHARS_MAX })),
      contactId: Type.Optional(Id),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: RUNS_A_PAGE_MAX })),
      cursor: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    answers: { 200: RunPage },
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      return readRuns(sql, key, request.query)
    },
  })

  routes.get('/:id/runs/:runId', 'run', {
    needs,
    summary: 'Read a run',
    description:
      'With its trace: each node it left, by which way, and what decided. Values of the contact that rules asked for are there with the scope `contacts:read` alone.',
    answers: { 200: RunTrace },
    handle: async (request) => {
      const { id, runId } = request.params
      return readRun(sql, seeingKey(request.caller, id), runId)
    },
  })

  routes.get('/:id/explain', 'explain', {
    needs,
    summary: 'Explain a contact',
    description:
      'Why it is in or not, what happened to it, and what comes next and when. Values that rules asked for are there with the scope `contacts:read` alone.',
    query: closed({ contactId: Type.Optional(Type.String({ ...Id, description: 'Required: whom to explain.' })) }),
    answers: { 200: Explanation },
    handle: async (request) => {
      return explainContact(sql, seeingKey(request.caller, request.params.id), request.query.contactId)
    },
  })

  versionRoutes(app, { sql }, door)
}

/** The ways of one contact through all automations. */
export function contactRunRoutes(app: HttpApp, { sql }: Pick<DefinitionDeps, 'sql'>, door: Door): void {
  const at = { path: '/contacts/:contactId/automations', family: 'ContactAutomations', tag: 'Automations' } as const
  routesOf(app, door, at).get('', 'list', {
    needs: 'automations:read',
    summary: 'List the automations of a contact',
    description: 'Newest first: each time that it came into one, where it stands there or how that ended.',
    query: closed({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: RUNS_A_PAGE_MAX })),
      cursor: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    answers: { 200: ContactRunPage },
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, contactId: request.params.contactId }
      return runsOfContact(sql, key, request.query)
    },
  })
}

const seeingKey = ({ workspaceId, scopes }: Caller, id: string) => {
  return { workspaceId, id, seesValues: scopes.has('contacts:read') }
}

/** Results of versions, and the versions that are or were in force. */
function versionRoutes(app: HttpApp, { sql }: Pick<DefinitionDeps, 'sql'>, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })
  const needs = 'automations:read'

  routes.get('/:id/results', 'results', {
    needs,
    summary: 'Read what came of those who came in',
    description:
      'How many came in and reached the goal, and the value of it, by the day (of 400 days at most) or hour (of 32) of their ' +
      'entry and by version. Without `from` the last 30 days. Whoever has time left until the goal may still reach it.',
    query: ResultsQuery,
    answers: { 200: Results },
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      return readResults(sql, key, request.query)
    },
  })

  routes.get('/:id/lift', 'lift', {
    needs,
    summary: 'Compare those who came in with those held out',
    description:
      'How many of both did what the goal is within its time after their entry, and the difference with its interval. Without `from` the last 90 days.',
    query: LiftQuery,
    answers: { 200: Lift },
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      return readLift(sql, key, request.query)
    },
  })

  routes.get('/:id/versions', 'listVersions', {
    needs,
    summary: 'List the versions of an automation',
    description: 'Newest first. A version never changes.',
    query: closed(pageParameters),
    answers: { 200: pageOf(VersionSummary) },
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      const { items, total } = await readVersions(sql, key, request.query)
      return page(request.query, total, items)
    },
  })

  routes.get('/:id/versions/:version', 'getVersion', {
    needs,
    summary: 'Read a version of an automation',
    params: { version: Type.String({ ...Id, description: 'Number of a version.', examples: ['1'] }) },
    answers: { 200: Version },
    handle: async (request) => {
      const { id, version } = request.params
      return readVersion(sql, { workspaceId: request.caller.workspaceId, id }, version)
    },
  })
}
