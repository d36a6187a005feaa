import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'

export const REFUSALS = ['filter', 'rule', 'mode', 'closed', 'limit', 'loop', 'key', 'failed'] as const
export type Refusal = (typeof REFUSALS)[number]
export type Verdict = { entered: true; heldOut: boolean } | { entered: false; refusal: Refusal }

/** `cameByIt`: the very event has brought them in, by a walk through the past that was quicker than the log, or slower. */
export type Ledger = { entries: number; enteredAt: string | null; cameByIt: boolean }
type Keyed = { wanting: { contactId: string; position: string }; key: string }
type Automation = { workspaceId: string; automationId: string }

const CAME_BY_IT = ['runs', 'ended_runs']
  .map(
    (table) => `exists (select from ${table} r where r.workspace_id = $1 and r.contact_id = g.contact_id
        and r.automation_id = $2 and r.event_id = g.position)`,
  )
  .join(' or ')

/** The entries that contacts have had by their keys. */
export async function ledgerOf<D extends Keyed>(
  tx: Transaction,
  { workspaceId, automationId }: Automation,
  of: readonly D[],
): Promise<Map<D, Ledger>> {
  const { rows } = await tx.query<Ledger & { n: string }>({
    name: 'enrollments_of_contacts',
    text: `select coalesce(e.entries, 0) as entries, e.entered_at as "enteredAt", g.n,
        case when exists (select from automation_backfills b where b.workspace_id = $1 and b.automation_id = $2)
          then ${CAME_BY_IT} else false end as "cameByIt"
      from unnest($3::int8[], $4::text[], $5::int8[]) with ordinality as g(contact_id, entry_key, position, n)
      left join enrollments e on e.workspace_id = $1 and e.automation_id = $2 and e.contact_id = g.contact_id
        and e.entry_key = g.entry_key`,
    values: [
      ...[workspaceId, automationId],
      int8Array(of.map(({ wanting }) => wanting.contactId)),
      textArray(of.map(({ key }) => key)),
      int8Array(of.map(({ wanting }) => wanting.position)),
    ],
  })
  return new Map(rows.map(({ n, ...ledger }) => [of[Number(n) - 1]!, ledger]))
}

/** An entry, or a refusal, as the ledger keeps it. `at` is the trigger's moment. */
export type Entered = { contactId: string; key: string; at: string; runId: string }
export type Refused = { contactId: string; key: string; at: string; eventId: string | null; refusal: Refusal }

/** Writes the last verdicts down, and counts refusals by their reasons. */
export async function writeVerdicts(
  tx: Transaction,
  { workspaceId, automationId }: Automation,
  { entered, refused }: { entered: readonly Entered[]; refused: readonly Refused[] },
): Promise<void> {
  if (entered.length > 0)
    await tx.query({
      name: 'write_entries',
      text: ENTERED,
      values: [...keysOf(entered), int8Array(entered.map(({ runId }) => runId))],
    })
  if (refused.length === 0) return
  await tx.query({
    name: 'write_refusals',
    text: REFUSED,
    values: [
      ...keysOf(refused),
      int8Array(refused.map(({ eventId }) => eventId)),
      textArray(refused.map(({ refusal }) => refusal)),
    ],
  })

  function keysOf(of: readonly (Entered | Refused)[]): unknown[] {
    return [
      ...[workspaceId, automationId],
      int8Array(of.map(({ contactId }) => contactId)),
      textArray(of.map(({ key }) => key)),
      textArray(of.map(({ at }) => at)),
    ]
  }
}

const ENTERED = `insert into enrollments as e (workspace_id, automation_id, contact_id, entry_key, entries, entered_at, run_id)
  select $1, $2, contact_id, entry_key, 1, at::timestamptz, run_id
  from unnest($3::int8[], $4::text[], $5::text[], $6::int8[]) as g(contact_id, entry_key, at, run_id)
  on conflict (workspace_id, automation_id, contact_id, entry_key) do update
    set entries = e.entries + 1, entered_at = excluded.entered_at, run_id = excluded.run_id`

const REFUSED = `with given as materialized (
    select * from unnest($3::int8[], $4::text[], $5::text[], $6::int8[], $7::text[])
      as g(contact_id, entry_key, at, event_id, refusal)
  ), counted as (
    insert into node_totals as t (workspace_id, automation_id, version, node, kind, shard, total)
    select $1::bigint, $2::bigint, 0, '', 'refused:' || refusal, pg_backend_pid() % 8, count(*) from given group by refusal
    order by refusal
    on conflict (workspace_id, automation_id, version, node, kind, shard) do update set total = t.total + excluded.total
  )
  insert into enrollments as e (workspace_id, automation_id, contact_id, entry_key, refusals, refused_at, refused_event_id,
    refusal)
  select $1, $2, contact_id, entry_key, 1, at::timestamptz, event_id, refusal from given
  on conflict (workspace_id, automation_id, contact_id, entry_key) do update
    set refusals = e.refusals + 1, refused_at = excluded.refused_at, refused_event_id = excluded.refused_event_id,
      refusal = excluded.refusal`
