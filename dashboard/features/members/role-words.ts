import { ROLE_PERMISSIONS } from '../../lib/catalogue.ts'
import type { Role } from '../../lib/site-types.ts'

/** From the one that may do most. */
export const ROLES = Object.keys(ROLE_PERMISSIONS) as Role[]

export const ROLE_WORDS: Readonly<Record<Role, { name: string; words: string }>> = {
  owner: { name: 'Owner', words: 'Everything. Only an owner changes owners.' },
  admin: { name: 'Admin', words: 'Everything in the workspace but changing owners.' },
  member: {
    name: 'Member',
    words: 'The daily work: contacts, mail, broadcasts, webhooks. No people, tokens or settings.',
  },
  viewer: { name: 'Viewer', words: 'Reads what a member may read, and changes nothing.' },
}

/** What becomes of invitations that somebody sent, when their role becomes another one; undefined when nothing does. */
export function invitationsEnd(from: Role, to: Role): string | undefined {
  if (!mayInvite(from) || ROLES.indexOf(to) <= ROLES.indexOf(from)) return undefined
  return `Invitations ${mayInvite(to) ? 'of owners ' : ''}that they sent open nothing any more.`
}

const mayInvite = (role: Role) => (ROLE_PERMISSIONS[role] as readonly string[]).includes('members:write')

/** Roles that one may give and change: none above one's own. */
export function rolesUpTo(own: Role): Role[] {
  return ROLES.slice(ROLES.indexOf(own))
}
