import type pg from 'pg'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { JobContext, Outcome } from '../../platform/jobs/outcome.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { ADVANCE_BROADCAST, type BroadcastDeps } from './broadcast-deps.ts'
import type { UnopenedDeps } from './draft-for-unopened.ts'
import { contentFault, type Expected, type PreflightDeps, requireReady } from './preflight/preflight.ts'
import { preflightRoutes } from './preflight/preflight-routes.ts'
import type { TestDeps } from './preflight/send-test.ts'
import type { BroadcastKey } from './queries.ts'
import { reportRoutes } from './report/report-routes.ts'
import { broadcastRoutes } from './routes.ts'
import { actRoutes, startRoutes } from './run/act-routes.ts'
import { type AdvanceDeps, advanceBroadcast } from './run/advance-broadcast.ts'
import { BROADCAST_NEEDS } from './run/keep-messages.ts'
import { broadcastTools } from './tools.ts'

/** After this long a run lets others have its place, and goes on behind them. */
const TURN_MS = 20_000
const RETRY_MAX_MS = 60_000

export type BroadcastsModuleDeps = BroadcastDeps &
  PreflightDeps &
  TestDeps &
  UnopenedDeps &
  Pick<AdvanceDeps, 'mayStart' | 'judgeFrozen'> & { pool: pg.Pool }

export function broadcastsModule(deps: BroadcastsModuleDeps): Module {
  const starting = {
    ...deps,
    requireReady: (key: BroadcastKey, expected: Expected) => requireReady(deps, key, expected),
  }
  const advancing = { ...deps, contentFault: (key: BroadcastKey) => contentFault(deps, key) }
  return {
    tools: broadcastTools,
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        broadcastRoutes(app, deps, door)
        startRoutes(app, starting, door)
        actRoutes(app, starting, door)
        preflightRoutes(app, deps, door)
        reportRoutes(app, deps, door)
      }
    },
    needs: BROADCAST_NEEDS,
    jobs: [
      handlerOf(ADVANCE_BROADCAST, {
        reach: 'mailbox',
        // A broadcast is never given up for a database that was away.
        attemptsMax: Number.POSITIVE_INFINITY,
        retryDelayMs: (attempt) => Math.min(RETRY_MAX_MS, 500 * 2 ** Math.min(attempt, 10)),
        run: ({ payload, attempt }, context) => advance({ ...advancing, attempt }, payload, context),
      }),
    ],
  }
}

async function advance(
  deps: Omit<AdvanceDeps, 'shouldYield'>,
  { workspaceId, broadcastId }: { workspaceId: string; broadcastId: string },
  { stopping, signal }: JobContext,
): Promise<Outcome> {
  const startedMs = performance.now()
  const shouldYield = () => stopping.aborted || signal.aborted || performance.now() - startedMs > TURN_MS
  const ended = await advanceBroadcast({ ...deps, shouldYield }, { workspaceId, id: broadcastId })
  if (ended.end === 'wait') return { outcome: 'snooze', afterMs: ended.afterMs }
  return ended.end === 'more' ? { outcome: 'more' } : { outcome: 'ok' }
}
