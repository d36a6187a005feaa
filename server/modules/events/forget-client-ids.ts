import type { Queryable } from '../../platform/db/transaction.ts'

/** Client ids looked at by one statement. */
const CLIENT_IDS_PER_STEP = 20_000

/**
 * Forgets the client ids of events that spell out one of the aliases, alone or between other words ("ada@example.com-17").
 * Looks at the next ids after one; returns the last it looked at, undefined at the end.
 */
export async function forgetClientIdsNaming(
  tx: Queryable,
  workspaceId: string,
  input: { aliases: readonly string[]; after: string },
): Promise<string | undefined> {
  const patterns = input.aliases.map((alias) => `(^|[^[:alnum:]])${escapeRegExp(alias)}([^[:alnum:]]|$)`)
  const { rows } = await tx.query<{ last: string | null; seen: string }>(
    `with stretch as materialized (
       select client_id from event_client_ids where workspace_id = $1 and client_id > $2 order by client_id limit $3
     ), forgotten as (
       delete from event_client_ids where workspace_id = $1
         and client_id = any (array(select client_id from stretch where client_id ~* any ($4::text[])))
     )
     select max(client_id) as last, count(*) as seen from stretch`,
    [workspaceId, input.after, CLIENT_IDS_PER_STEP, patterns],
  )
  const { last, seen } = rows[0]!
  return Number(seen) === CLIENT_IDS_PER_STEP ? (last ?? undefined) : undefined
}

/** As PostgreSQL's regular expressions want it: what is neither a letter nor a digit may always be escaped. */
function escapeRegExp(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}_\s]/gu, '\\$&')
}
