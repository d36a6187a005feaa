import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { EXPORT_MEDIA_TYPES, exportAudit } from './export-audit.ts'
import { type AuditDeps, listAudit, requireAudit } from './list-audit.ts'
import { AuditExportQuery, AuditList, AuditQuery, ChainState } from './schemas.ts'
import { verifyAudit } from './verify-audit.ts'

const tags = ['Audit']
/** The whole log is read, so that a long one takes longer than any other answer. */
const VERIFY_DEADLINE_MS = 30_000
/** Until the first byte; a file under way takes as long as its reader. */
const EXPORT_DEADLINE_MS = 30_000

/** As `auth/door.ts` has them, which records in this log itself and so cannot be imported here. */
const DOORS = [
  { base: '/api/audit-entries', family: '', params: {}, needs: { scope: 'audit:read' } },
  {
    base: '/site/workspaces/:slug/audit-entries',
    family: 'Site',
    params: { params: closed({ slug: Type.String({ maxLength: 63 }) }) },
    needs: { permission: 'audit:read' },
  },
] as const

/** Reading the log, which both surfaces offer alike. */
export function auditRoutes(app: HttpApp, deps: AuditDeps): void {
  for (const door of DOORS) routesOf(app, deps, door)
}

function routesOf(app: HttpApp, deps: AuditDeps, door: (typeof DOORS)[number]): void {
  const { base, params, needs: read } = door
  const operation = (verb: string) => `${door.family}AuditEntries_${verb}`

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List audit entries',
        description: "The workspace's audit log, newest first. Enterprise feature.",
        ...params,
        querystring: AuditQuery,
        response: { 200: AuditList, ...problemResponses(402) },
      },
      config: read,
    },
    async (request) => listAudit(deps, request.caller.workspaceId, request.query),
  )

  app.get(
    `${base}/verify`,
    {
      schema: {
        operationId: operation('verify'),
        tags,
        summary: 'Verify the audit log',
        description:
          'Computes the hash chain over all entries anew and says where it does not hold, if anywhere. Enterprise feature.',
        ...params,
        response: { 200: ChainState, ...problemResponses(402) },
      },
      config: { ...read, deadlineMs: VERIFY_DEADLINE_MS },
    },
    async (request) => {
      requireAudit(deps)
      return verifyAudit(deps, request.caller.workspaceId)
    },
  )

  app.get(
    `${base}/export`,
    {
      schema: {
        operationId: operation('export'),
        tags,
        summary: 'Download audit entries',
        description:
          'Every entry that the filters let through, newest first, as CSV or as JSON Lines. Taking it is recorded as ' +
          '`audit_log.export`. Enterprise feature.',
        ...params,
        querystring: AuditExportQuery,
        produces: ['text/csv', 'application/x-ndjson'],
        response: {
          200: {
            description: 'The entries.',
            content: { 'text/csv': { schema: Type.String() }, 'application/x-ndjson': { schema: Type.String() } },
          },
          ...problemResponses(402),
        },
      },
      config: { ...read, deadlineMs: EXPORT_DEADLINE_MS },
    },
    async (request, reply) => {
      const { format = 'csv', ...filters } = request.query
      const file = await exportAudit(deps, request.caller, { format, ...filters })
      return reply
        .type(EXPORT_MEDIA_TYPES[format])
        .header('content-disposition', `attachment; filename="audit-entries.${format}"`)
        .send(file as never)
    },
  )
}
