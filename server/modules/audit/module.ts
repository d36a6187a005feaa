import type { Module } from '../module.ts'
import { auditApi } from './api.ts'
import type { AuditDeps } from './list-audit.ts'
import { sealAudit } from './seal-audit.ts'
import { auditSite } from './site.ts'

const SEAL_EVERY_SECONDS = 10

export function auditModule(deps: AuditDeps): Module {
  return {
    routes(app) {
      auditApi(app, deps)
      auditSite(app, deps)
    },
    jobs: [
      {
        kind: 'seal_audit',
        queue: 'default',
        everySeconds: SEAL_EVERY_SECONDS,
        async run() {
          await sealAudit(deps.sql)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
