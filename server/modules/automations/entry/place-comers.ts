import type pg from 'pg'
import { crashPoint } from '../../../platform/crash-point.ts'
import { boundedStep, StepSize } from '../../../platform/db/bounded-step.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import { OCCURRENCE_WAY } from '../definition/listens.ts'
import { wakeRuns } from '../run-lanes.ts'
import { putEntries } from './put-entries.ts'

/** People in a chunk, and so at most in a transaction: as many as a turn does in one. */
export const COMERS_A_CHUNK = 2_000

export type ComersKey = { workspaceId: string; automationId: string }

export const PLACE_COMERS = jobKind<ComersKey>({
  kind: 'place_comers',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/**
 * The job `place_comers`: puts the people of a segment into the queue of an automation, a chunk a transaction, in which the chunk is
 * gone. `stopped` before the end: what is left is the next run's.
 */
export async function placeComers(pool: pg.Pool, key: ComersKey, stop: AbortSignal): Promise<'done' | 'stopped'> {
  const size = new StepSize(COMERS_A_CHUNK)
  while (!stop.aborted) {
    const work = (tx: Transaction, limit: number) => placeSome(tx, key, limit)
    if (await boundedStep(pool, key.workspaceId, { size, work })) return 'done'
    crashPoint('comers_placed')
  }
  return 'stopped'
}

type Taken = { ids: string[]; at: string; perMinute: number | null; key: string | null; ofOccurrence: boolean }

/** Answers whether there is nobody left to place. */
async function placeSome(tx: Transaction, { workspaceId, automationId }: ComersKey, limit: number): Promise<boolean> {
  const { rows } = await tx.query<Taken>({
    name: 'take_comers',
    text: TAKE,
    values: [workspaceId, automationId, limit],
  })
  const [taken] = rows
  if (!taken) return true
  const { lanes } = await putEntries(
    tx,
    { workspaceId, automationId },
    {
      wanting: taken.ids.map((contactId) => ({ contactId, depth: 0 })),
      at: taken.at,
      key: taken.key ?? undefined,
      perMinute: taken.perMinute ?? undefined,
      ...(taken.ofOccurrence ? { way: OCCURRENCE_WAY } : {}),
    },
  )
  await wakeRuns(tx, lanes)
  return false
}

/** Takes people off the first chunk. */
const TAKE = `with chunk as materialized (
    select * from automation_comers where workspace_id = $1 and automation_id = $2 order by number limit 1 for update
  ), gone as (
    delete from automation_comers c using chunk k
    where c.workspace_id = $1 and c.automation_id = $2 and c.number = k.number and cardinality(k.contact_ids) <= $3
  ), shortened as (
    update automation_comers c set contact_ids = k.contact_ids[$3 + 1:],
      begins_at = k.begins_at + coalesce($3 * interval '1 minute' / k.per_minute, interval '0')
    from chunk k
    where c.workspace_id = $1 and c.automation_id = $2 and c.number = k.number and cardinality(k.contact_ids) > $3
  )
  select k.contact_ids[:$3]::text[] as ids, k.begins_at as at, k.per_minute as "perMinute", k.entry_key as key,
    k.of_occurrence as "ofOccurrence"
  from chunk k`
