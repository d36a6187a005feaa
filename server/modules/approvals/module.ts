import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { approvalsApi } from './api.ts'
import type { PlanDeps } from './freeze-plan.ts'
import { approvalRoutes } from './routes.ts'
import { approvalsSite } from './site.ts'
import { approvalTools } from './tools.ts'

/** `appUrl`: where people decide. */
export function approvalsModule({ appUrl, ...deps }: PlanDeps & { appUrl: URL }): Module {
  return {
    tools: approvalTools(appUrl),
    routes(app) {
      approvalsApi(app, deps)
      for (const door of [API_DOOR, SITE_DOOR]) approvalRoutes(app, deps, door)
      approvalsSite(app, deps)
    },
  }
}
