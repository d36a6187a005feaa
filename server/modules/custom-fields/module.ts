import type pg from 'pg'
import { HOUR_MS } from '../../platform/durations.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { FieldDeps } from './manage-fields.ts'
import { REWRITE_CUSTOM_FIELD, rewriteCustomField } from './rewrite-custom-field.ts'
import { customFieldRoutes } from './routes.ts'

/** A million contacts take a minute or two. */
const REWRITE_TIMEOUT_MS = HOUR_MS

export type CustomFieldsModuleDeps = Pick<FieldDeps, 'sql' | 'onKeyChange' | 'usedBy'> & {
  pool: pg.Pool
}

export function customFieldsModule(deps: CustomFieldsModuleDeps): Module {
  const operations: FieldDeps = {
    sql: deps.sql,
    onKeyChange: deps.onKeyChange,
    usedBy: deps.usedBy,
    enqueueRewrite: (tx, field) => enqueue(tx, REWRITE_CUSTOM_FIELD, field),
  }
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) customFieldRoutes(app, operations, door)
    },
    jobs: [
      handlerOf(REWRITE_CUSTOM_FIELD, {
        reach: 'database',
        // A person's request is carried out, however long the database is away.
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: REWRITE_TIMEOUT_MS,
        async run({ payload }, { stopping }) {
          const end = await rewriteCustomField(deps, payload, stopping)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
    ],
  }
}
