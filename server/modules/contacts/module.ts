import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { ContactDeps } from './create-contact.ts'
import type { ListDeps } from './list-contacts.ts'
import { contactRoutes } from './routes.ts'
import { tidySearch } from './tidy-search.ts'
import { contactTools } from './tools.ts'
import { upsertRoutes } from './upsert-routes.ts'

const TIDY_EVERY_SECONDS = 2

export function contactsModule(deps: ContactDeps & ListDeps): Module {
  return {
    tools: contactTools,
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        contactRoutes(app, deps, door)
        upsertRoutes(app, deps, door)
      }
    },
    jobs: [
      {
        kind: 'tidy_search',
        queue: 'default',
        everySeconds: TIDY_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await tidySearch(deps.sql)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
