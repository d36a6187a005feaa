import type pg from 'pg'
import { HOUR_MS } from '../../platform/durations.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { TagDeps } from './manage-tags.ts'
import { contactTagRoutes, tagRoutes } from './routes.ts'
import { SWEEP_TAG, sweepTag } from './sweep-tag.ts'

/** A million contacts take a minute or two. */
const SWEEP_TIMEOUT_MS = HOUR_MS

export type TagsModuleDeps = Omit<TagDeps, 'enqueueSweep'> & { pool: pg.Pool }

export function tagsModule(deps: TagsModuleDeps): Module {
  const operations: TagDeps = {
    ...deps,
    enqueueSweep: (tx, tag) => enqueue(tx, SWEEP_TAG, tag),
  }
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        tagRoutes(app, operations, door)
        contactTagRoutes(app, operations, door)
      }
    },
    jobs: [
      handlerOf(SWEEP_TAG, {
        reach: 'database',
        // A person's request is carried out, however long the database is away.
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: SWEEP_TIMEOUT_MS,
        async run({ payload }, { stopping }) {
          const end = await sweepTag(deps, payload, stopping)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
    ],
  }
}
