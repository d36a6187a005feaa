import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { SegmentDeps } from './manage-segments.ts'
import { createPreview } from './preview-segment.ts'
import { segmentRoutes } from './routes.ts'
import { segmentTools } from './tools.ts'

export function segmentsModule(deps: SegmentDeps): Module {
  const preview = createPreview(deps.sql)
  return {
    tools: segmentTools,
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) segmentRoutes(app, { ...deps, preview }, door)
    },
  }
}
