import { textArray } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { spellsAnyOf } from './spells-alias.ts'

/**
 * Forgets the client ids of events that spell out one of the aliases, alone or between other words ("ada@example.com-17").
 * Looks at the next ids behind one; returns the last it has looked at, undefined at the end.
 */
export async function forgetClientIdsNaming(
  tx: Queryable,
  workspaceId: string,
  { aliases, after, rows: limit }: { aliases: readonly string[]; after: string; rows: number },
): Promise<string | undefined> {
  const spells = spellsAnyOf(aliases)
  const { rows } = await tx.query<{ clientId: string }>({
    name: 'client_ids_behind',
    text: `select client_id as "clientId" from event_client_ids
      where workspace_id = $1 and client_id > $2 order by client_id limit $3`,
    values: [workspaceId, after, limit],
  })
  const naming = rows.map(({ clientId }) => clientId).filter(spells)
  if (naming.length > 0) {
    await tx.query({
      name: 'forget_client_ids',
      text: 'delete from event_client_ids where workspace_id = $1 and client_id = any ($2::text[])',
      values: [workspaceId, textArray(naming)],
    })
  }
  return rows.length === limit ? rows.at(-1)?.clientId : undefined
}
