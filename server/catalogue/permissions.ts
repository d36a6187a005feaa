import { SCOPES, type Scope } from './scopes.ts'

/** What people may do in the dashboard and no token can: run the workspace itself. */
export const DASHBOARD_PERMISSIONS = ['members:read', 'members:write', 'workspace:write'] as const

/** What a role may include: everything a token may, and what is for people only. */
export type Permission = Scope | (typeof DASHBOARD_PERMISSIONS)[number]

export const PERMISSIONS: readonly Permission[] = [...SCOPES, ...DASHBOARD_PERMISSIONS]

const KNOWN: ReadonlySet<string> = new Set(PERMISSIONS)

export function isPermission(text: string): text is Permission {
  return KNOWN.has(text)
}
