import type pg from 'pg'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { type ConfirmPageDeps, confirmPages } from './confirm-pages.ts'
import { contactTopicRoutes } from './contact-topic-routes.ts'
import { GRANDFATHER_CONTACTS, grandfatherContacts } from './grandfather-contacts.ts'
import { confirmationRoutes, settingsRoutes } from './routes.ts'

export type ConfirmationsModuleDeps = ConfirmPageDeps & { pool: pg.Pool }

export function confirmationsModule(deps: ConfirmationsModuleDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        settingsRoutes(app, deps, door)
        confirmationRoutes(app, deps, door)
        contactTopicRoutes(app, deps, door)
      }
      confirmPages(app, deps)
    },
    jobs: [
      handlerOf(GRANDFATHER_CONTACTS, {
        reach: 'database',
        // Without it nobody of before is mailed any more.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }, { signal, stopping }) {
          const isOver = () => stopping.aborted || signal.aborted
          const done = await grandfatherContacts(deps.pool, payload, isOver)
          return done ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
    ],
  }
}
