import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { withdrawMessages } from '../../sending/ledger/withdraw-messages.ts'
import { RUN_SLOTS, slotOf } from '../entry/slots.ts'
import { type RunLane, type RunTurn, wakeRuns } from '../run-lanes.ts'
import { emitRunEvents, type RunNews } from './run-events.ts'

/**
 * Hands the runs of a contact that is being merged to the survivor, with its entries, what waits for them, and the watched
 * segments it is kept in. Where both
 * are in an automation by the same key, the one that is further stays and the other ends; one that takes everybody every
 * time keeps both. Both contacts are locked already.
 */
export async function moveRuns(
  tx: Transaction,
  workspaceId: string,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  const values = [workspaceId, fromId, toId]
  const { rows: ended } = await tx.query<MergedRun>({ name: 'end_merged_runs', text: END_DOUBLES, values })
  if (ended.length > 0) {
    const ids = ended.map(({ id }) => id)
    await withdrawMessages(tx, workspaceId, ids)
    await tx.query({
      name: 'forget_merged_runs_queue',
      text: `delete from run_queue q using automations a where a.workspace_id = $1 and q.workspace_id = $1
        and q.automation_id = a.id and q.contact_id = any (array[$2::bigint, $3::bigint]) and q.run_id = any ($4::text[]::int8[])`,
      values: [...values, ids],
    })
  }
  await emitRunEvents(
    tx,
    workspaceId,
    ended.map(({ id, ...run }) => newsOf(id, run, toId)),
  )
  for (const [name, text] of MOVES) await tx.query({ name, text, values })
  const { rows } = await tx.query<{ automationId: string }>({ name: 'move_run_queue', text: MOVE_QUEUE, values })
  const slot = Number(BigInt(toId) % BigInt(RUN_SLOTS))
  await wakeRuns(
    tx,
    rows.map(({ automationId }) => ({ workspaceId, automationId, slot })),
  )
}

type MergedRun = Omit<RunNews, 'type' | 'runId' | 'contactId' | 'more'> & { id: string; endedAt: string; node: string }

/** The exit of a run that the survivor of its contact is told of. */
function newsOf(runId: string, { endedAt, node, ...run }: Omit<MergedRun, 'id'>, contactId: string): RunNews {
  return { ...run, type: 'automation.exited', runId, contactId, more: { endedAt, node, reason: 'merged' } }
}

const END_DOUBLES = `with of_both as (
    select r.id, row_number() over (partition by r.automation_id, r.entry_key
      order by r.visit desc, r.contact_id = $3 desc, r.id) as place
    from runs r
    join automation_versions v on v.workspace_id = r.workspace_id and v.automation_id = r.automation_id and v.version = r.version
    where r.workspace_id = $1 and r.contact_id in ($2, $3)
      and (v.definition::jsonb #>> '{enter,again,mode}') is distinct from 'every'
  ), gone as (
    delete from runs where workspace_id = $1 and id in (select id from of_both where place > 1) returning *
  ), steps as (
    insert into run_steps (workspace_id, run_id, visit, created_at, automation_id, version, node, way, came_at, left_at)
    select workspace_id, id, visit, created_at, automation_id, version, node, 'exit:merged', at, at from gone
  )
  , ended as (
    insert into ended_runs (workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, event_id,
      event_at, state, reason, node, visit, ended_at, goal_at, goal_value)
    select workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, event_id, event_at, 'exited',
      'merged', node, visit, at, goal_at, goal_value
    from gone
  )
  select g.id, g.automation_id as "automationId", a.name, g.version, g.entry_key as "entryKey", g.entered_at as "enteredAt", g.depth,
    g.at as "endedAt", g.node
  from gone g join automations a on a.workspace_id = g.workspace_id and a.id = g.automation_id order by g.id`

const MOVES = [
  ['move_runs', 'update runs set contact_id = $3 where workspace_id = $1 and contact_id = $2'],
  ['move_notices', 'update automation_notice_people set contact_id = $3 where workspace_id = $1 and contact_id = $2'],
  ['move_ended_runs', 'update ended_runs set contact_id = $3 where workspace_id = $1 and contact_id = $2'],
  [
    // Of both the later entry and the later refusal are the last ones.
    'move_enrollments',
    `with moved as (
        delete from enrollments where workspace_id = $1 and contact_id = $2 returning *)
      insert into enrollments as e (workspace_id, automation_id, contact_id, entry_key, entries, entered_at, run_id, refusals,
        refused_at, refused_event_id, refusal)
      select workspace_id, automation_id, $3, entry_key, entries, entered_at, run_id, refusals, refused_at, refused_event_id,
        refusal
      from moved order by automation_id, entry_key
      on conflict (workspace_id, automation_id, contact_id, entry_key) do update
        set entries = e.entries + excluded.entries, refusals = e.refusals + excluded.refusals,
          (entered_at, run_id) = (
            select at, run from (values (1, e.entered_at, e.run_id), (2, excluded.entered_at, excluded.run_id)) l(n, at, run)
            order by at desc nulls last, n limit 1),
          (refused_at, refused_event_id, refusal) = (
            select at, event, why from (values (1, e.refused_at, e.refused_event_id, e.refusal),
              (2, excluded.refused_at, excluded.refused_event_id, excluded.refusal)) l(n, at, event, why)
            order by at desc nulls last, n limit 1)`,
  ],
  [
    // A survivor who was told of nowhere has not come in by taking over who was in it. A segment may be forgotten meanwhile: those
    // that are still watched are held.
    'move_segment_memberships',
    `with watched as materialized (
        select segment_id from segment_watches where workspace_id = $1 and segment_id = any (array(
          select segment_id from segment_members where workspace_id = $1 and contact_id = $2))
        order by segment_id for key share
      )
      insert into segment_members (workspace_id, segment_id, contact_id)
      select $1, segment_id, $3 from watched on conflict do nothing`,
  ],
] as const

const MOVE_QUEUE = `with moved as (
    update run_queue q set contact_id = $3, slot = ${slotOf('$3::bigint')}
    from automations a
    where a.workspace_id = $1 and q.workspace_id = $1 and q.automation_id = a.id and q.contact_id = $2
    returning q.automation_id)
  select distinct automation_id as "automationId" from moved`

/**
 * Hands on what was put into the queue for contacts while they were being merged, by a transaction that did not see it yet:
 * the survivor's turn does it. Rows that the survivor has already are not made twice. Answers the lanes to wake.
 */
export async function followSurvivors(
  tx: Transaction,
  { workspaceId, automationId }: RunTurn,
  contactIds: readonly string[],
): Promise<RunLane[]> {
  if (contactIds.length === 0) return []
  const { rows } = await tx.query<{ slot: number }>({
    name: 'follow_survivors_of_queue',
    text: `with gone as (
        delete from run_queue q using contact_merges m
        where q.workspace_id = $1 and q.automation_id = $2 and q.contact_id = any ($3::int8[])
          and m.workspace_id = $1 and m.merged_id = q.contact_id
        returning m.survivor_id, q.*
      ), handed_on as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, visit, due_at, looks,
          version, way, depth, entry_key)
        select workspace_id, automation_id, ${slotOf('survivor_id')}, survivor_id, run_id, kind, position, visit, due_at, looks,
          version, way, depth, entry_key
        from gone on conflict do nothing returning slot
      )
      select distinct slot from handed_on`,
    values: [workspaceId, automationId, int8Array(contactIds)],
  })
  return rows.map(({ slot }) => ({ workspaceId, automationId, slot }))
}
