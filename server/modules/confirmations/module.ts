import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../auth/door.ts'
import type { Module } from '../module.ts'
import { type ConfirmPageDeps, confirmPages } from './confirm-pages.ts'
import { grandfatherContacts } from './grandfather-contacts.ts'
import { confirmationRoutes, settingsRoutes } from './routes.ts'

const QUEUE = 'default'

export type ConfirmationsModuleDeps = ConfirmPageDeps & { pool: pg.Pool }

export function confirmationsModule(deps: ConfirmationsModuleDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        settingsRoutes(app, deps, door)
        confirmationRoutes(app, deps, door)
      }
      confirmPages(app, deps)
    },
    jobs: [
      {
        kind: 'grandfather_contacts',
        queue: QUEUE,
        async run(job, { signal, stopping }) {
          const payload = job.payload as { workspaceId: string; createdBefore: string }
          const isOver = () => stopping.aborted || signal.aborted
          const done = await grandfatherContacts(deps.pool, payload, isOver)
          return done ? { outcome: 'ok' } : { outcome: 'snooze', afterMs: 0 }
        },
      },
    ],
  }
}
