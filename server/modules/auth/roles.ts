import { PERMISSIONS, type Permission } from '../../catalogue/permissions.ts'

/** From the one that may do most. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

/** Whether a role stands above another one. */
export function isAbove(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) < ROLES.indexOf(other)
}

/**
 * Permissions of those who run a workspace alone: its people and settings, tokens, the log, and what sends in its name or
 * destroys for good.
 */
const FOR_ADMINS: ReadonlySet<Permission> = new Set([
  'members:write',
  'workspace:write',
  'tokens:read',
  'tokens:write',
  'audit:read',
  'contacts:erase',
  'integrations:write',
  'sending_domains:write',
  'mcp:send',
])

const everything = new Set(PERMISSIONS)
const daily = new Set(PERMISSIONS.filter((permission) => !FOR_ADMINS.has(permission)))
const reading = new Set([...daily].filter((permission) => permission.endsWith(':read')))

/** The one table of what a role may do in its workspace. An owner differs from an admin in whom they may change. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: everything,
  admin: everything,
  member: daily,
  viewer: reading,
}
