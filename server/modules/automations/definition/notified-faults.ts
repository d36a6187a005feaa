import type { Transaction } from '../../../platform/db/transaction.ts'
import type { FieldError } from '../../../platform/problem.ts'
import { membersToTell } from '../../members/members-to-tell.ts'
import type { Definition } from './definition.ts'
import { escaped } from './reading.ts'

/** Faults of steps that tell people who are no members of the workspace. */
export async function notifiedFaults(
  tx: Transaction,
  workspaceId: string,
  { nodes }: Definition,
): Promise<FieldError[]> {
  const named = Object.entries(nodes).flatMap(([id, node]) =>
    node.type === 'notify' && node.members !== null
      ? node.members.map((email, n) => ({ email, pointer: `/definition/nodes/${escaped(id)}/members/${n}` }))
      : [],
  )
  if (named.length === 0) return []
  const members = await membersToTell(tx, workspaceId, [...new Set(named.map(({ email }) => email))])
  const known = new Set(members.map(({ email }) => email))
  return named
    .filter(({ email }) => !known.has(email))
    .map(({ pointer }) => ({ pointer, detail: 'is not the address of a member of this workspace' }))
}
