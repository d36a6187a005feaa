import type pg from 'pg'
import { HOUR_MS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { PersonalDataDeps } from './deps.ts'
import { ERASE_CONTACT, enqueueSweep, eraseContact } from './erase-contact.ts'
import { personalDataRoutes } from './routes.ts'

/** A sweep walks the whole log and all stored events of the workspace. */
const SWEEP_TIMEOUT_MS = HOUR_MS

export type PersonalDataModuleDeps = Omit<PersonalDataDeps, 'enqueueSweep'> & { pool: pg.Pool }

export function personalDataModule(deps: PersonalDataModuleDeps): Module {
  const operations: PersonalDataDeps = {
    ...deps,
    enqueueSweep,
  }
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) personalDataRoutes(app, operations, door)
    },
    jobs: [
      handlerOf(ERASE_CONTACT, {
        reach: 'database',
        // A person's request is carried out, however long the database is away.
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: SWEEP_TIMEOUT_MS,
        async run({ payload }, { stopping }) {
          const swept = await eraseContact(deps, payload.workspaceId, stopping)
          return swept.end === 'later' ? { outcome: 'snooze', afterMs: swept.afterMs } : { outcome: 'ok' }
        },
      }),
    ],
  }
}
