import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { CompiledCache } from './compiled-cache.ts'
import { FORGET_EVERY_SECONDS, forgetVersions } from './forget-versions.ts'
import { templateRoutes } from './routes.ts'
import { templateTools } from './tools.ts'

export type TemplatesModuleDeps = { sql: pg.Pool; pool: pg.Pool; compiled: CompiledCache }

export function templatesModule(deps: TemplatesModuleDeps): Module {
  return {
    tools: templateTools,
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) templateRoutes(app, deps, door)
    },
    jobs: [
      {
        kind: 'forget_template_versions',
        queue: 'default',
        everySeconds: FORGET_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await forgetVersions(deps.pool, stopping)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
