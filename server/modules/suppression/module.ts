import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { SuppressionDeps } from './manage-suppressions.ts'
import { suppressionRoutes } from './routes.ts'
import { updateSuppression } from './update-suppression.ts'

export function suppressionModule(deps: SuppressionDeps): Module {
  return {
    consumers: [updateSuppression],
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) suppressionRoutes(app, deps, door)
    },
  }
}
