import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { RunLane } from '../run-lanes.ts'
import { RUN_SLOTS } from './slots.ts'

/** Somebody who is to come in without an event of theirs. */
export type Comer = { contactId: string; depth: number }

/**
 * `at` is when they begin, RFC 3339; with `perMinute` one after the other. `key` tells entries of one contact apart, `way` what brings them
 * (listens.ts).
 */
export type Comers = {
  wanting: readonly Comer[]
  at: string
  key?: string | undefined
  perMinute?: number | undefined
  way?: number
}

/** SQL: the position of what somebody wants without an event of theirs: below zero, in the order in which it was put there. */
export const POSITION_WITHOUT_EVENT = `nextval('run_id') - ${2n ** 62n}`

/**
 * Puts people into the queue who are to come in without an event: by hand, by the API, or from another automation; of those merged
 * meanwhile the contact that they became part of. Their
 * positions are below zero, each its own. Whether they do, turns decide by the automation's own rules. Answers how many of
 * them there are, nobody for an automation that was never in force, and the lanes to wake at the transaction's end.
 */
export async function putEntries(
  tx: Transaction,
  { workspaceId, automationId }: { workspaceId: string; automationId: string },
  { wanting, at, key, perMinute, way = 0 }: Comers,
): Promise<{ accepted: number; lanes: RunLane[] }> {
  const { rows } = await tx.query<RunLane & { n: number }>({
    name: 'put_entries',
    text: `with led as materialized (
        select coalesce(w.survivor_id, g.contact_id) as contact_id, g.depth, g.n
        from unnest($3::int8[], $4::int8[]) with ordinality as g(contact_id, depth, n)
        left join contact_merges w on w.workspace_id = $1 and w.merged_id = g.contact_id
      ), put as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, depth,
          entry_key, way)
        select $1, a.id, c.id % ${RUN_SLOTS}, c.id, 0, 'entry', ${POSITION_WITHOUT_EVENT},
          $5::timestamptz + coalesce((g.n - 1) * interval '1 minute' / $6::float8, interval '0'), a.published_version,
          least(g.depth, 1000), $7, $8::smallint
        from led g
        join contacts c on c.workspace_id = $1 and c.id = g.contact_id
        join automations a on a.workspace_id = $1 and a.id = $2 and a.published_version is not null and a.stopped_at is null
        order by c.id returning workspace_id, automation_id, slot)
      select workspace_id as "workspaceId", automation_id as "automationId", slot, count(*)::int as n from put group by 1, 2, 3`,
    values: [
      ...[workspaceId, automationId],
      int8Array(wanting.map(({ contactId }) => contactId)),
      int8Array(wanting.map(({ depth }) => String(depth))),
      ...[at, perMinute ?? null, key ?? null, way],
    ],
  })
  return { accepted: rows.reduce((sum, { n }) => sum + n, 0), lanes: rows }
}
