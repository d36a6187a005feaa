import { HOUR_MS, HOUR_SECONDS, MINUTE_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { createTurns } from '../../platform/turns.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { actRoutes, runActRoutes } from './act-routes.ts'
import { PLACE_BACKFILL, placeBackfill } from './backfill/place-backfill.ts'
import { backfillRoutes } from './backfill-routes.ts'
import { dropUnusedListens } from './definition/drop-unused-listens.ts'
import { forgetRevisions } from './definition/forget-revisions.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'
import { PLACE_RUNS } from './definition/take-along.ts'
import { enrollAutomations } from './entry/enroll-automations.ts'
import { forgetClosings } from './entry/forget-closings.ts'
import { PLACE_COMERS, placeComers } from './entry/place-comers.ts'
import { SWEEP_TRIGGER, sweepTrigger } from './entry/sweep-trigger.ts'
import { askForSweeps, SWEEP_EVERY_SECONDS } from './entry/sweep-triggers.ts'
import { WATCH_EVERY_SECONDS, WATCH_SEGMENT, watchSegment } from './entry/watch-segment.ts'
import { askForLooks } from './entry/watch-segments.ts'
import type { LiveTestDeps } from './live-test/test-on-person.ts'
import { liveTestRoutes } from './live-test-routes.ts'
import { PREVIEW_TURNS, publishRoutes } from './publish-routes.ts'
import { revisionRoutes } from './revision-routes.ts'
import { automationRoutes } from './routes.ts'
import { type AdvanceDeps, advanceRuns } from './run/advance-runs.ts'
import { askForChecks, CHECK_EVERY_SECONDS } from './run/check-waits.ts'
import { CHECK_WAITS_OF_AUTOMATION, checkWaitsOfAutomation } from './run/check-waits-of-automation.ts'
import { placeRuns } from './run/place-runs.ts'
import { type TellDeps, tellTeamJob } from './run/tell-team.ts'
import { automationPartitions, RUN_NEEDS } from './run-partitions.ts'
import type { PlayScenarios } from './scenarios/play-scenarios.ts'
import { checkAutomations, type FaultCount } from './seeing/find-faults.ts'
import { foldSums } from './seeing/fold-sums.ts'
import { contactRunRoutes, seeingRoutes } from './seeing-routes.ts'
import { simulateAutomation } from './simulate/simulate-automation.ts'
import { createSimulator } from './simulate/simulator.ts'
import { simulationRoutes } from './simulation-routes.ts'

/** A million people inside are placed in about a minute. */
const PLACE_TIMEOUT_MS = HOUR_MS

export type AutomationsModuleDeps = DefinitionDeps &
  AdvanceDeps &
  TellDeps &
  LiveTestDeps & { retentionDays: number; play: PlayScenarios }

export function automationsModule(deps: AutomationsModuleDeps): Module {
  const simulator = createSimulator()
  const previews = createTurns(PREVIEW_TURNS)
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        automationRoutes(app, deps, door)
        revisionRoutes(app, deps, door)
        publishRoutes(app, { ...deps, previews }, door)
        liveTestRoutes(app, deps, door)
        actRoutes(app, deps, door)
        runActRoutes(app, deps, door)
        seeingRoutes(app, deps, door)
        contactRunRoutes(app, deps, door)
        simulationRoutes(app, deps, door)
        backfillRoutes(app, deps, door)
      }
    },
    consumers: [enrollAutomations],
    jobs: [
      advanceRuns(deps),
      tellTeamJob(deps),
      handlerOf(PLACE_BACKFILL, {
        reach: 'database',
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: PLACE_TIMEOUT_MS,
        run: ({ payload }, { stopping }) => placeBackfill(deps.pool, payload, stopping),
      }),
      simulateAutomation({ pool: deps.pool, simulator }),
      handlerOf(PLACE_RUNS, {
        reach: 'database',
        // A person's request is carried out, however long the database is away.
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: PLACE_TIMEOUT_MS,
        async run({ payload }, { stopping }) {
          const end = await placeRuns(deps.pool, payload, stopping)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
      handlerOf(PLACE_COMERS, {
        reach: 'database',
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: PLACE_TIMEOUT_MS,
        async run({ payload }, { stopping }) {
          const end = await placeComers(deps.pool, payload, stopping)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
      handlerOf(WATCH_SEGMENT, {
        reach: 'database',
        timeoutMs: PLACE_TIMEOUT_MS,
        async run({ payload }, { stopping }) {
          const end = await watchSegment(deps.pool, payload, stopping)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
      handlerOf(SWEEP_TRIGGER, {
        reach: 'database',
        timeoutMs: PLACE_TIMEOUT_MS,
        async run({ payload }) {
          await sweepTrigger(deps.pool, payload)
          return { outcome: 'ok' }
        },
      }),
      {
        kind: 'sweep_triggers',
        queue: 'default',
        everySeconds: SWEEP_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await askForSweeps(deps.pool)
          return { outcome: 'ok' }
        },
      },
      handlerOf(CHECK_WAITS_OF_AUTOMATION, {
        reach: 'database',
        timeoutMs: PLACE_TIMEOUT_MS,
        async run({ payload }, { stopping }) {
          const end = await checkWaitsOfAutomation(deps.pool, payload, stopping)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
      {
        kind: 'check_waits',
        queue: 'default',
        everySeconds: CHECK_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await askForChecks(deps.pool)
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'watch_segments',
        queue: 'default',
        everySeconds: WATCH_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await askForLooks(deps.pool)
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'fold_automation_sums',
        queue: 'default',
        everySeconds: HOUR_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await foldSums(deps.pool, () => stopping.aborted)
          await forgetClosings(deps.pool)
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'check_automations',
        queue: 'default',
        everySeconds: MINUTE_SECONDS,
        reach: 'database',
        async run() {
          await dropUnusedListens(deps.pool)
          const found = (await checkAutomations(deps.pool)).filter((one) => one.found > 0)
          if (found.length > 0)
            deps.onError(new Error(`people in automations are not where they should be: ${told(found)}`))
          await forgetRevisions(deps.pool)
          return { outcome: 'ok' }
        },
      },
    ],
    partitions: automationPartitions(deps.retentionDays),
    needs: RUN_NEEDS,
  }
}

const told = (found: readonly FaultCount[]) => found.map(({ fault, found: n }) => `${fault} ${n}`).join(', ')
