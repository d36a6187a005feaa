import { HOUR_SECONDS } from '../../platform/durations.ts'
import type { Module } from '../module.ts'
import type { AuditDeps } from './list-audit.ts'
import { pruneAudit } from './prune-audit.ts'
import { auditRoutes } from './routes.ts'
import { sealAudit } from './seal-audit.ts'

const SEAL_EVERY_SECONDS = 10
const PRUNE_EVERY_SECONDS = HOUR_SECONDS

export function auditModule(deps: AuditDeps): Module {
  return {
    routes: (app) => auditRoutes(app, deps),
    jobs: [
      {
        kind: 'seal_audit',
        queue: 'default',
        everySeconds: SEAL_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await sealAudit(deps)
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'prune_audit',
        queue: 'default',
        everySeconds: PRUNE_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await pruneAudit(deps, stopping)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
