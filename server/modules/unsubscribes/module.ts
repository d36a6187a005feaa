import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { type LinkPageDeps, unsubscribeLinkRoutes } from './link-pages.ts'
import { unsubscribeRoutes } from './routes.ts'

export function unsubscribesModule(deps: LinkPageDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) unsubscribeRoutes(app, deps, door)
      unsubscribeLinkRoutes(app, deps)
    },
  }
}
