import { problemResponses } from '../../platform/http/schemas.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { type AuditDeps, listAudit } from './list-audit.ts'
import { AuditList, AuditQuery } from './schemas.ts'

export function auditApi(app: HttpApp, deps: AuditDeps): void {
  app.get(
    '/api/audit-entries',
    {
      schema: {
        operationId: 'AuditEntries_list',
        tags: ['Audit'],
        summary: 'List audit entries',
        description: "The workspace's audit log, newest first. Enterprise feature.",
        querystring: AuditQuery,
        response: { 200: AuditList, ...problemResponses(402) },
      },
      config: { scope: 'audit:read' },
    },
    async (request) => listAudit(deps, request.caller.workspaceId, request.query),
  )
}
