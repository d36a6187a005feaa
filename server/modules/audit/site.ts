import { Type } from 'typebox'
import { closed, problemResponses } from '../../platform/http/schemas.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { type AuditDeps, listAudit } from './list-audit.ts'
import { AuditList, AuditQuery } from './schemas.ts'

export function auditSite(app: HttpApp, deps: AuditDeps): void {
  app.get(
    '/site/workspaces/:slug/audit-entries',
    {
      schema: {
        operationId: 'SiteAuditEntries_list',
        tags: ['Audit'],
        summary: 'List audit entries',
        params: closed({ slug: Type.String() }),
        querystring: AuditQuery,
        response: { 200: AuditList, ...problemResponses(402) },
      },
      config: { permission: 'audit:read' },
    },
    async (request) => listAudit(deps, request.caller.workspaceId, request.query),
  )
}
