import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { ContactDeps } from './create-contact.ts'
import type { ListDeps } from './list-contacts.ts'
import { contactRoutes } from './routes.ts'
import { contactTools } from './tools.ts'
import { upsertRoutes } from './upsert-routes.ts'

export function contactsModule(deps: ContactDeps & ListDeps): Module {
  return {
    tools: contactTools,
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        contactRoutes(app, deps, door)
        upsertRoutes(app, deps, door)
      }
    },
  }
}
