import type { Module } from '../module.ts'
import { auditApi } from './api.ts'
import type { AuditDeps } from './list-audit.ts'
import { auditSite } from './site.ts'

export function auditModule(deps: AuditDeps): Module {
  return {
    routes(app) {
      auditApi(app, deps)
      auditSite(app, deps)
    },
  }
}
