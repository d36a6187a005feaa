import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { actRoutes, runActRoutes } from './act-routes.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'
import { enrollAutomations } from './entry/enroll-automations.ts'
import { automationRoutes } from './routes.ts'
import { advanceRuns } from './run/advance-runs.ts'
import { automationPartitions, RUN_NEEDS } from './run-partitions.ts'
import { seeingRoutes } from './seeing-routes.ts'

export type AutomationsModuleDeps = DefinitionDeps & {
  pool: pg.Pool
  retentionDays: number
  onError: (error: unknown) => void
}

export function automationsModule(deps: AutomationsModuleDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        automationRoutes(app, deps, door)
        actRoutes(app, deps, door)
        runActRoutes(app, deps, door)
        seeingRoutes(app, deps, door)
      }
    },
    consumers: [enrollAutomations],
    jobs: [advanceRuns(deps)],
    partitions: automationPartitions(deps.retentionDays),
    needs: RUN_NEEDS,
  }
}
