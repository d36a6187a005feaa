import { SCOPES, type Scope } from './scopes.ts'

/** Permissions that people may have in the dashboard and no token can: run the workspace itself. */
export const DASHBOARD_PERMISSIONS = ['members:read', 'members:write', 'workspace:write'] as const

/** A permission that a role may include: every scope of tokens, and those for people only. */
export type Permission = Scope | (typeof DASHBOARD_PERMISSIONS)[number]

export const PERMISSIONS: readonly Permission[] = [...SCOPES, ...DASHBOARD_PERMISSIONS]

const KNOWN: ReadonlySet<string> = new Set(PERMISSIONS)

export function isPermission(text: string): text is Permission {
  return KNOWN.has(text)
}
