import { textArray } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'

export type TeamMember = { email: string; name: string; isOwner: boolean }

/** The owners of a workspace, and those of its members who have these addresses, which are in lower case. */
export async function membersToTell(
  tx: Queryable,
  workspaceId: string,
  addresses: readonly string[],
): Promise<TeamMember[]> {
  const { rows } = await tx.query<TeamMember>({
    name: 'members_to_tell',
    text: `select u.email, u.name, m.role = 'owner' as "isOwner" from memberships m join users u on u.id = m.user_id
      where m.workspace_id = $1 and (m.role = 'owner' or u.email = any ($2::text[])) order by u.id`,
    values: [workspaceId, textArray(addresses)],
  })
  return rows
}

/** Those of them whom a list of addresses means; null means the owners. */
export function meantOf(members: readonly TeamMember[], addresses: readonly string[] | null): TeamMember[] {
  return members.filter(({ email, isOwner }) => (addresses === null ? isOwner : addresses.includes(email)))
}
