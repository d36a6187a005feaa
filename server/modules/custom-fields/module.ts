import type pg from 'pg'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { API_DOOR, SITE_DOOR } from '../auth/door.ts'
import type { Module } from '../module.ts'
import type { FieldDeps } from './manage-fields.ts'
import { rewriteCustomField } from './rewrite-custom-field.ts'
import type { FieldRef } from './rewrite-queries.ts'
import { customFieldRoutes } from './routes.ts'

const QUEUE = 'default'
/** A million contacts take a minute or two. */
const REWRITE_TIMEOUT_MS = 3_600_000

export type CustomFieldsModuleDeps = Pick<FieldDeps, 'sql' | 'onKeyChange'> & {
  pool: pg.Pool
}

export function customFieldsModule(deps: CustomFieldsModuleDeps): Module {
  const operations: FieldDeps = {
    sql: deps.sql,
    onKeyChange: deps.onKeyChange,
    // One walk of a field at once; what is asked for while one runs is the next one's.
    enqueueRewrite: (tx, field) =>
      enqueue(tx, [
        {
          queue: QUEUE,
          kind: 'rewrite_custom_field',
          payload: field,
          singletonKey: `rewrite_custom_field/${field.workspaceId}/${field.fieldId}`,
          groupKey: field.workspaceId,
        },
      ]),
  }
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) customFieldRoutes(app, operations, door)
    },
    jobs: [
      {
        kind: 'rewrite_custom_field',
        queue: QUEUE,
        // What a person asked for is done, however long the database is away.
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: REWRITE_TIMEOUT_MS,
        async run(job, { stopping }) {
          const end = await rewriteCustomField(deps, job.payload as FieldRef, stopping)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'snooze', afterMs: 0 }
        },
      },
    ],
  }
}
