import { API_DOOR, SITE_DOOR } from '../auth/door.ts'
import type { Module } from '../module.ts'
import type { SegmentDeps } from './manage-segments.ts'
import { segmentRoutes } from './routes.ts'

export function segmentsModule(deps: SegmentDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) segmentRoutes(app, deps, door)
    },
  }
}
