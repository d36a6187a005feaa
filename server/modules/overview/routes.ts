import type pg from 'pg'
import { DAY_MS } from '../../platform/durations.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { type Door, routesOf } from '../door.ts'
import { readSeries } from './read-series.ts'
import { readSpan } from './read-span.ts'
import { Overview, SeriesQuery } from './schemas.ts'

const LAST_MS = 30 * DAY_MS

/** How mail goes in a workspace, alike on both surfaces. */
export function overviewRoutes(app: HttpApp, { sql }: { sql: pg.Pool }, door: Door): void {
  const routes = routesOf(app, door, { path: '/overview', family: 'Overview' })

  routes.get('', 'get', {
    needs: 'broadcasts:read',
    summary: 'Read how mail goes',
    description:
      'All mail of the workspace but tests, by hour (of 32 days at most) or day (of 400), and the sums of the time ' +
      'before for comparison. Without `from` the last 30 days. What people and what machines did is counted apart.',
    query: SeriesQuery,
    answers: { 200: Overview },
    handle: async (request) => {
      const { workspaceId } = request.caller
      const span = readSpan(request.query, { now: new Date(), lastMs: LAST_MS })
      return readSeries(sql, { workspaceId, about: '', span })
    },
  })
}
