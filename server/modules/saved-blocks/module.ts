import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { SavedBlockDeps } from './manage-saved-blocks.ts'
import { savedBlockRoutes } from './routes.ts'

export function savedBlocksModule(deps: SavedBlockDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) savedBlockRoutes(app, deps, door)
    },
  }
}
