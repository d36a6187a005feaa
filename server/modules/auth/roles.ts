import { SCOPES, type Scope } from '../../catalogue/scopes.ts'

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

/** What only those who run a workspace may do: tokens, the log, and what sends in its name or destroys for good. */
const FOR_ADMINS: ReadonlySet<Scope> = new Set([
  'tokens:read',
  'tokens:write',
  'audit:read',
  'contacts:erase',
  'integrations:write',
  'sending_domains:write',
  'mcp:send',
])

const everything = new Set(SCOPES)
const daily = new Set(SCOPES.filter((scope) => !FOR_ADMINS.has(scope)))
const reading = new Set([...daily].filter((scope) => scope.endsWith(':read')))

/** The one table of what a role may do in its workspace. */
export const ROLE_SCOPES: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: everything,
  admin: everything,
  member: daily,
  viewer: reading,
}
