import { problemResponses } from '../../platform/http/schemas.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { type AuditDeps, listAudit, requireAudit } from './list-audit.ts'
import { AuditList, AuditQuery, ChainState } from './schemas.ts'
import { verifyAudit } from './seal-audit.ts'

/** The whole log is read, so that a long one takes longer than any other answer. */
const VERIFY_DEADLINE_MS = 30_000

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

  app.get(
    '/api/audit-entries/verify',
    {
      schema: {
        operationId: 'AuditEntries_verify',
        tags: ['Audit'],
        summary: 'Verify the audit log',
        description: 'Computes the hash chain over all entries anew. Enterprise feature.',
        response: { 200: ChainState, ...problemResponses(402) },
      },
      config: { scope: 'audit:read', deadlineMs: VERIFY_DEADLINE_MS },
    },
    async (request) => {
      requireAudit(deps)
      return verifyAudit(deps.sql, request.caller.workspaceId)
    },
  )
}
