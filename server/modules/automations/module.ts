import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'
import { enrollAutomations } from './entry/enroll-automations.ts'
import { automationRoutes } from './routes.ts'
import { automationPartitions } from './run-partitions.ts'

export type AutomationsModuleDeps = DefinitionDeps & { retentionDays: number }

export function automationsModule(deps: AutomationsModuleDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) automationRoutes(app, deps, door)
    },
    consumers: [enrollAutomations],
    partitions: automationPartitions(deps.retentionDays),
  }
}
