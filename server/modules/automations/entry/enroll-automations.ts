import type { Transaction } from '../../../platform/db/transaction.ts'
import type { ConsumerGroup } from '../../../platform/outbox/consumer-group.ts'
import { planAnew } from '../../../platform/outbox/plans.ts'
import { IN_RANGE, queryRange, type Range } from '../../../platform/outbox/range.ts'
import { noteTick, TICK_DUE } from '../../../platform/outbox/ticks.ts'
import { BACKFILL_NOW_WAY, BACKFILL_THEN_WAY, CLOSED_WAY } from '../definition/listens.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { type RunLane, wakeRuns } from '../run-lanes.ts'
import { closedAt } from './closings.ts'
import { DEPTH } from './depth-of-event.ts'
import { EVENTS } from './events-of-range.ts'
import { type Candidate, IN_TIME, judge, MATCHES, putSignals } from './signals.ts'
import { RUN_SLOTS, slotOf } from './slots.ts'
import { putZoneSignals, ZONES_GIVEN } from './zone-signals.ts'

/**
 * Notes for every automation that listens to an event whose contact it may concern: who wants to come in, what ends a
 * wait or a run, or is its goal, and whose rest has another end by their new time zone. It moves nobody: turns do, in the order of the events (docs/adr/0015). An event without a
 * contact, or of one erased meanwhile, concerns nobody; one of a contact merged meanwhile the one it became part of.
 */
export const enrollAutomations: ConsumerGroup = {
  group: 'automations',
  handler: 'enroll_automations',
  reach: 'mailbox',
  gathers: true,
  // Events that it handles are in `events`, where runs that begin to listen look for it.
  behind: 'persist',
  async handle(tx, range) {
    const { rows } = await queryRange<{ wanted: boolean; zones: boolean; ticks: boolean }>(tx, range, {
      name: 'enrolling_events',
      text: WANTED,
    })
    const { wanted, zones, ticks } = rows[0]!
    if (ticks) await noteTick(tx, range)
    if (!wanted && !zones) return
    planAnew(tx)
    if (zones) await wakeRuns(tx, await putZoneSignals(tx, range))
    if (!wanted) return
    const lanes = await putEntries(tx, range)
    const now = new Date().toISOString()
    const signals = await judge(tx, await candidatesOf(tx, range), { definitionsOf: loadDefinitions, now })
    await putSignals(tx, signals)
    await wakeRuns(tx, [...lanes, ...signals.map(laneOf)])
  },
}

const laneOf = ({ workspaceId, automationId, contactId }: Candidate): RunLane => ({
  ...{ workspaceId, automationId },
  slot: Number(BigInt(contactId) % BigInt(RUN_SLOTS)),
})

/** Whether any automation wants any of these events, people have another time zone, or it is to be noted how far the log has come. Most stretches hold none: the joins are planned for the others only. */
const WANTED = `select exists (
    select from (select workspace_id, name from ${IN_RANGE}) range
    where (select 1 from automation_listens l where l.workspace_id = range.workspace_id and l.name = range.name
      limit 1) is not null) as wanted, ${ZONES_GIVEN} as zones, ${TICK_DUE} as ticks`

/** A walk through the past may have put the same wish there before: it is one of now, which nobody revokes and whose mail is not late. */
async function putEntries(tx: Transaction, range: Range): Promise<RunLane[]> {
  const { rows } = await queryRange<RunLane>(tx, range, {
    name: 'enroll_automations',
    text: `with put as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, way,
          depth)
        select l.workspace_id, l.automation_id, ${slotOf('c.id')}, c.id, 0, 'entry', e.position, e.recorded_at, l.version,
          case when ${closedAt('e.tx')} then ${CLOSED_WAY} else min(l.way) end, min(least(${DEPTH}, 1000))
        from ${EVENTS}
        join automation_listens l on l.workspace_id = e.workspace_id and l.name = e.name and l.kind = 'entry' and e.tx > l.since_tx
        cross join lateral (
          select id from contacts where workspace_id = e.workspace_id and id = e.contact_id limit 1
        ) c
        group by l.workspace_id, l.automation_id, c.id, e.position, e.recorded_at, l.version, e.tx
        order by 1, 2, 4, 7
        on conflict (workspace_id, automation_id, contact_id, run_id, kind, position, visit) do update
          set way = excluded.way, version = excluded.version, due_at = excluded.due_at, depth = excluded.depth
          where run_queue.way in (${BACKFILL_NOW_WAY}, ${BACKFILL_THEN_WAY}) and excluded.way <> ${CLOSED_WAY}
        returning workspace_id, automation_id, slot
      )
      select distinct workspace_id as "workspaceId", automation_id as "automationId", slot from put`,
  })
  return rows
}

async function candidatesOf(tx: Transaction, range: Range): Promise<Candidate[]> {
  const { rows } = await queryRange<Candidate>(tx, range, {
    name: 'signals_for_automations',
    // Runs are looked up for each event that is listened to, by its contact. Left to itself the server, which knows nothing of how
    // many wait, joined all who are in an automation with all events of the stretch: 6,000 with 5,000 took six seconds.
    text: `select l.workspace_id as "workspaceId", l.automation_id as "automationId", l.version, l.kind, l.node, l.way,
        l.filtered, r.id as "runId", l.contact_id as "contactId", r.visit, l.position, l.recorded_at as "recordedAt", ${IN_TIME}
      from (
        select e.workspace_id, e.position, e.recorded_at, e.data, e.contact_id, l.automation_id, l.version, l.kind, l.node, l.way,
          l.filtered, l.match
        from ${EVENTS}
        join automation_listens l on l.workspace_id = e.workspace_id and l.name = e.name and l.kind <> 'entry'
        offset 0
      ) l
      cross join lateral (
        select * from runs where workspace_id = l.workspace_id and contact_id = l.contact_id and automation_id = l.automation_id
          and version = l.version offset 0
      ) r
      cross join lateral (select l.data) e
      left join events t on l.match is not null and t.workspace_id = r.workspace_id and t.id = r.event_id
        and t.recorded_at = r.event_at
      where case when l.kind = 'wait' then l.node = r.node and r.state = 'waiting'
          and (l.recorded_at, l.position) > (r.at, r.at_position)
        else (l.recorded_at, l.position) > (r.entered_at, coalesce(r.event_id, 0)) end
        and (l.match is null or ${MATCHES})`,
  })
  return rows
}
