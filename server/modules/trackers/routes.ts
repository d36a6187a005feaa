import type pg from 'pg'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { type Door, routesOf } from '../door.ts'
import {
  createTracker,
  deleteTracker,
  listTrackers,
  readTracker,
  rotateTrackerKey,
  updateTracker,
} from './manage-trackers.ts'
import { Tracker, TrackerBody, TrackerChange, TrackerHealth } from './schemas.ts'
import { readTrackerHealth } from './tracker-health.ts'

/** The trackers of a workspace. */
export function trackerRoutes(app: HttpApp, deps: { sql: pg.Pool }, door: Door): void {
  const routes = routesOf(app, door, { path: '/trackers', family: 'Trackers' })

  routes.get('', 'list', {
    needs: 'trackers:read',
    summary: 'List trackers',
    description: 'What pages may record, and from where. Ascending by id.',
    query: PageQuery,
    answers: { 200: pageOf(Tracker) },
    handle: async (request) => {
      const { items, total } = await listTrackers(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'trackers:write',
    summary: 'Create a tracker',
    description: 'With a public key of its own. Nothing before consent, when it is not said otherwise.',
    body: TrackerBody,
    answers: { 201: Tracker },
    problems: [409],
    etag: true,
    handle: async (request) => createTracker(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'trackers:read',
    summary: 'Read a tracker',
    answers: { 200: Tracker },
    etag: true,
    handle: async (request) => readTracker(deps, request.caller.workspaceId, request.params.id),
  })

  routes.patch('/:id', 'update', {
    needs: 'trackers:write',
    summary: 'Change a tracker',
    description: 'Absent fields stay. It holds within a second.',
    body: TrackerChange,
    answers: { 200: Tracker },
    problems: [412],
    etag: true,
    handle: async (request) =>
      updateTracker(deps, request.caller, {
        ...{ id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) },
      }),
  })

  routes.delete('/:id', 'delete', {
    needs: 'trackers:write',
    summary: 'Delete a tracker',
    description: 'What pages send under its key is refused from then on; what came before stays.',
    answers: { 204: nothing() },
    problems: [412],
    handle: async (request) => {
      await deleteTracker(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}

/** Acts on one tracker, and how it fares. */
export function trackerKeyRoutes(app: HttpApp, deps: { sql: pg.Pool }, door: Door): void {
  const routes = routesOf(app, door, { path: '/trackers', family: 'Trackers' })

  routes.post('/:id/rotate-key', 'rotateKey', {
    needs: 'trackers:write',
    summary: 'Give a tracker another key',
    description: 'The key it had stays good for 7 days; the one before that, if there is one, ends at once.',
    answers: { 200: Tracker },
    handle: async (request) => rotateTrackerKey(deps, request.caller, request.params.id),
  })

  routes.get('/:id/health', 'getHealth', {
    needs: 'trackers:read',
    summary: 'Read how a tracker fares',
    description: 'What came of what pages sent under its key in the last 7 days, to some seconds.',
    answers: { 200: TrackerHealth },
    handle: async (request) => readTrackerHealth(deps, request.caller.workspaceId, request.params.id),
  })
}
