import { Type } from 'typebox'
import { PERMISSIONS } from '../../catalogue/permissions.ts'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

/** Shown in the subject of mails, so without control characters. */
const WorkspaceName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
  examples: ['Analytical Engines'],
})

const RequireSecondFactor = Type.Boolean({
  description: 'Members without a second factor are kept out of the workspace until they have one.',
})

const AuditRetentionDays = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description: 'Audit entries older than this are deleted, the oldest first; null keeps them for ever.',
  }),
)

/** A workspace as a member sees it. Settings of the workspace go here. */
export const OwnWorkspace = answer('Workspace', {
  id: Id,
  slug: Type.String({ examples: ['engines'] }),
  name: WorkspaceName,
  requireSecondFactor: RequireSecondFactor,
  auditRetentionDays: AuditRetentionDays,
  permissions: Type.Array(oneOf(PERMISSIONS), { description: 'Permissions of the person in it.' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const WorkspaceBody = closed('WorkspaceBody', {
  slug: Type.String({
    pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
    description: 'Its part of addresses. It stays.',
    examples: ['engines'],
  }),
  name: WorkspaceName,
})

export const WorkspaceChange = closed('WorkspaceChange', {
  name: Type.Optional(WorkspaceName),
  requireSecondFactor: Type.Optional(RequireSecondFactor),
  auditRetentionDays: Type.Optional(AuditRetentionDays),
})
