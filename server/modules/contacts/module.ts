import { API_DOOR, SITE_DOOR } from '../auth/door.ts'
import type { Module } from '../module.ts'
import { contactsApi } from './api.ts'
import { batchRoutes } from './batch-routes.ts'
import type { ContactDeps } from './create-contact.ts'

export function contactsModule(deps: ContactDeps): Module {
  return {
    routes(app) {
      contactsApi(app, deps)
      for (const door of [API_DOOR, SITE_DOOR]) batchRoutes(app, deps, door)
    },
  }
}
