import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { API_DOOR, type Door, routesOf, SITE_DOOR } from '../door.ts'
import { EXPORT_MEDIA_TYPES, exportAudit } from './export-audit.ts'
import { type AuditDeps, listAudit, requireAudit } from './list-audit.ts'
import { AuditExportQuery, AuditList, AuditQuery, AuditVerifyQuery, ChainState } from './schemas.ts'
import { verifyAudit } from './verify-audit.ts'

/** A step more, on a busy machine. */
const VERIFY_DEADLINE_MS = 30_000
/** A million entries; a longer log takes several requests. */
const VERIFY_FOR_MS = 10_000
/** Until the first byte; a file under way takes as long as its reader. */
const EXPORT_DEADLINE_MS = 30_000

/** Reading the log, which both surfaces offer alike. */
export function auditRoutes(app: HttpApp, deps: AuditDeps): void {
  for (const door of [API_DOOR, SITE_DOOR]) readingRoutes(app, deps, door)
}

function readingRoutes(app: HttpApp, deps: AuditDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/audit-entries', family: 'AuditEntries' })

  routes.get('', 'list', {
    needs: 'audit:read',
    summary: 'List audit entries',
    description: "The workspace's audit log, newest first. Enterprise feature.",
    query: AuditQuery,
    answers: { 200: AuditList },
    problems: [402],
    handle: async (request) => listAudit(deps, request.caller.workspaceId, request.query),
  })

  routes.get('/verify', 'verify', {
    needs: 'audit:read',
    summary: 'Verify the audit log',
    description:
      'Computes the hash chain over all entries anew and says where it does not hold, if anywhere. Of a long log it does so for some ' +
      'seconds, a million entries or so, and goes on by `nextCursor`. Enterprise feature.',
    query: AuditVerifyQuery,
    answers: { 200: ChainState },
    problems: [402],
    deadlineMs: VERIFY_DEADLINE_MS,
    handle: async (request) => {
      requireAudit(deps)
      return verifyAudit(deps, request.caller.workspaceId, { ...request.query, forMs: VERIFY_FOR_MS })
    },
  })

  routes.get('/export', 'export', {
    needs: 'audit:read',
    summary: 'Download audit entries',
    description:
      'Every entry that the filters let through, newest first, as CSV or as JSON Lines. Taking it is recorded as ' +
      '`audit_log.export`. Enterprise feature.',
    query: AuditExportQuery,
    answers: {
      200: {
        description: 'The entries.',
        content: { 'text/csv': { schema: Type.String() }, 'application/x-ndjson': { schema: Type.String() } },
      },
    },
    problems: [402],
    produces: ['text/csv', 'application/x-ndjson'],
    deadlineMs: EXPORT_DEADLINE_MS,
    handle: async (request, reply) => {
      const { format = 'csv', ...filters } = request.query
      const file = await exportAudit(deps, request.caller, { format, ...filters })
      return reply
        .type(EXPORT_MEDIA_TYPES[format])
        .header('content-disposition', `attachment; filename="audit-entries.${format}"`)
        .send(file)
    },
  })
}
