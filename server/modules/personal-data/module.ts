import type pg from 'pg'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { API_DOOR, SITE_DOOR } from '../auth/door.ts'
import type { Module } from '../module.ts'
import type { PersonalDataDeps } from './deps.ts'
import { eraseContact, SETTLED_MS } from './erase-contact.ts'
import { personalDataRoutes } from './routes.ts'

const QUEUE = 'default'
/** A sweep walks the whole log and all stored events of the workspace. */
const SWEEP_TIMEOUT_MS = 3_600_000

export function personalDataModule(deps: { sql: pg.Pool; pool: pg.Pool }): Module {
  const operations: PersonalDataDeps = {
    ...deps,
    // One sweep of a workspace at once; what is asked for while one runs is the next one's.
    enqueueSweep: (tx, workspaceId) =>
      enqueue(tx, [
        {
          queue: QUEUE,
          kind: 'erase_contact',
          payload: { workspaceId },
          singletonKey: `erase_contact/${workspaceId}`,
          groupKey: workspaceId,
          delayMs: SETTLED_MS,
        },
      ]),
  }
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) personalDataRoutes(app, operations, door)
    },
    jobs: [
      {
        kind: 'erase_contact',
        queue: QUEUE,
        // A person's request is carried out, however long the database is away.
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: SWEEP_TIMEOUT_MS,
        async run(job, { stopping }) {
          const { workspaceId } = job.payload as { workspaceId: string }
          const swept = await eraseContact(deps, workspaceId, stopping)
          return swept.end === 'later' ? { outcome: 'snooze', afterMs: swept.afterMs } : { outcome: 'ok' }
        },
      },
    ],
  }
}
