import type pg from 'pg'
import { textArray } from '../../platform/db/arrays.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES, type Queryable, type Transaction } from '../../platform/db/transaction.ts'
import { spellsAnyOf } from './spells-alias.ts'

/** Ids that a run takes on, and a step of it at most. */
const PER_RUN_MAX = 500_000
const PER_STEP_MAX = 10_000

/** Forgets ids that are older than the events they are of, in steps that nobody's events wait for. Returns how many. */
export async function forgetOldClientIds(
  pool: pg.Pool,
  retentionDays: number,
  stepMax: number = PER_STEP_MAX,
): Promise<number> {
  const size = new StepSize(stepMax)
  let forgotten = 0
  const work = async (tx: Transaction, limit: number) => {
    const { rowCount } = await tx.query({
      name: 'forget_old_client_ids',
      text: `delete from event_client_ids where ctid = any (array(
        select ctid from event_client_ids where recorded_at < now() - make_interval(days => $1) limit $2))`,
      values: [retentionDays, limit],
    })
    return rowCount ?? 0
  }
  while (forgotten < PER_RUN_MAX) {
    const gone = await boundedStep(pool, ALL_WORKSPACES, { size, work })
    if (gone === 0) break
    forgotten += gone
  }
  return forgotten
}

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
