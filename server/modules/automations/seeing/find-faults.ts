import type pg from 'pg'
import type { Statement } from '../../../platform/db/statement.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { IS_HELD } from '../../../platform/epoch/held.ts'
import { readThrough } from '../../../platform/outbox/progress.ts'
import { BACKFILL_THEN_WAY } from '../definition/listens.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'

/**
 * Things that can never be, by the way runs are written: `sums`: a node at which more or fewer stand than its totals say. `hours`: a
 * total that is not the sum of its hours and days, or entries that are not the sum of their quarters.
 * `untimed`: somebody inside whom nothing will ever move. `overdue`: what is due for longer than FAULT_AFTER_SECONDS and not
 * done. `unlooked`: a run that waits so long for its look. `unswept`: a date, a schedule, those who wait for a rule or a segment
 * that is listened to, whom nobody has looked after for long, all of them, as when its people cannot be told.
 */
export const AUTOMATION_FAULTS = ['sums', 'hours', 'untimed', 'overdue', 'unlooked', 'unswept'] as const
export type AutomationFault = (typeof AUTOMATION_FAULTS)[number]

/** Each for a person who runs the installation: what was counted. */
export const FAULT_WORDS: Readonly<Record<AutomationFault, string>> = {
  sums: 'nodes at which more or fewer stand than their totals say',
  hours: 'totals that are not the sum of their hours, days and quarters of entries',
  untimed: 'people inside whom nothing will move on',
  overdue: 'steps that are due for over a minute and not done: no worker runs, or it cannot keep up',
  unlooked: 'people who wait for over a minute to be looked after',
  unswept: 'dates, schedules, segments and waits that nobody has looked after for over half an hour',
}

export type FaultCount = { fault: AutomationFault; found: number }

export const FAULT_AFTER_SECONDS = 60
/** Ten million people inside are counted in some seconds. */
const TIMEOUT_MS = 120_000

/** Counts what is wrong in all workspaces, each kind in one snapshot. */
export async function findFaults(pool: pg.Pool): Promise<FaultCount[]> {
  const { through } = await readThrough(pool, enrollAutomations.group)
  const statements: Record<AutomationFault, Statement<{ found: string }>> = {
    sums: statement('sums', SUMS),
    hours: statement('hours', HOURS),
    untimed: statement('untimed', UNTIMED),
    overdue: statement('overdue', OVERDUE, [through]),
    unlooked: statement('unlooked', UNLOOKED),
    unswept: statement('unswept', UNSWEPT),
  }
  const faults: FaultCount[] = []
  for (const fault of AUTOMATION_FAULTS) {
    const [row] = await queryInScope(pool, ALL_WORKSPACES, statements[fault])
    faults.push({ fault, found: Number(row!.found) })
  }
  return faults
}

/** Looks for faults, and keeps what was found for whoever asks: the metric, and the next look. */
export async function checkAutomations(pool: pg.Pool): Promise<FaultCount[]> {
  const faults = await findFaults(pool)
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query({
      name: 'keep_automation_faults',
      text: `insert into automation_faults as f (fault, found) select * from unnest($1::text[], $2::bigint[]) order by 1
        on conflict (fault) do update set found = excluded.found, checked_at = now()`,
      values: [faults.map(({ fault }) => fault), faults.map(({ found }) => found)],
    })
  })
  return faults
}

/** Faults of the last look, and when that was (RFC 3339); none before the first. */
export async function lastFaults(pool: pg.Pool): Promise<(FaultCount & { checkedAt: string })[]> {
  const rows = await queryInScope<{ fault: AutomationFault; found: string; checkedAt: string }>(pool, ALL_WORKSPACES, {
    name: 'last_automation_faults',
    text: 'select fault, found, checked_at as "checkedAt" from automation_faults order by fault',
  })
  return rows.map(({ found, ...row }) => ({ ...row, found: Number(found) }))
}

function statement(fault: AutomationFault, text: string, values: unknown[] = []): Statement<{ found: string }> {
  return { name: `automation_fault_${fault}`, text, values, query_timeout: TIMEOUT_MS, plan: 'whole' }
}

const SUMS = `select count(*) as found from (
    select workspace_id, automation_id, version, node,
      sum(case when kind = 'entered' then total else -total end) as n
    from node_totals where node <> '' group by 1, 2, 3, 4
  ) told full join (
    select workspace_id, automation_id, version, node, count(*) as n from runs group by 1, 2, 3, 4
  ) here using (workspace_id, automation_id, version, node)
  where coalesce(told.n, 0) <> coalesce(here.n, 0)`

const HOURS_OF_NODES = `select count(*) from (
    select workspace_id, automation_id, version, node, kind, sum(total) as n from node_totals group by 1, 2, 3, 4, 5
  ) told full join (
    select workspace_id, automation_id, version, node, kind, sum(total) as n from node_hours group by 1, 2, 3, 4, 5
  ) kept using (workspace_id, automation_id, version, node, kind)
  where coalesce(told.n, 0) <> coalesce(kept.n, 0)`

/** Of all versions together: quarters have the version that people are in by now, totals the one that they came into. */
const QUARTERS_OF_ENTRIES = `select count(*) from (
    select workspace_id, automation_id, coalesce(sum(total) filter (where kind <> 'ended:held_out'), 0) as entered,
      coalesce(sum(total) filter (where kind = 'ended:held_out'), 0) as held_out
    from node_totals where node = '' and kind not like 'refused:%' group by 1, 2
  ) told full join (
    select workspace_id, automation_id, sum(entered) as entered, sum(held_out) as held_out from entry_quarters group by 1, 2
  ) kept using (workspace_id, automation_id)
  where (coalesce(told.entered, 0), coalesce(told.held_out, 0)) <> (coalesce(kept.entered, 0), coalesce(kept.held_out, 0))`

const HOURS = `select (${HOURS_OF_NODES}) + (${QUARTERS_OF_ENTRIES}) as found`

/** One that is parked waits for somebody. */
const UNTIMED = `select count(*) as found from runs r where r.state <> 'parked' and not exists (
    select from run_queue q where q.workspace_id = r.workspace_id and q.automation_id = r.automation_id
      and q.contact_id = r.contact_id and q.run_id = r.id and q.kind = 'timer')`

const GOES_ON = `a.paused_at is null and a.stopped_at is null and not ${IS_HELD}`

/** Wishes of the past are due before they are there. */
const OVERDUE = `select count(*) as found from run_queue q
  join automations a on a.workspace_id = q.workspace_id and a.id = q.automation_id and ${GOES_ON}
  left join runs r on r.workspace_id = q.workspace_id and r.id = q.run_id
  where not q.looks and q.kind <> 'move' and q.due_at < $1::timestamptz - make_interval(secs => ${FAULT_AFTER_SECONDS})
    and coalesce(r.attempts, 0) = 0 and not (q.kind = 'entry' and q.way = ${BACKFILL_THEN_WAY})`

/** A run has looked since it left the node before, or does so now. */
const UNLOOKED = `select count(*) as found from run_queue q
  join automations a on a.workspace_id = q.workspace_id and a.id = q.automation_id and ${GOES_ON}
  join runs r on r.workspace_id = q.workspace_id and r.id = q.run_id
  join run_steps s on s.workspace_id = r.workspace_id and s.run_id = r.id and s.created_at = r.created_at
    and s.visit = r.visit - 1
  where q.looks and r.attempts = 0 and s.done_at < now() - make_interval(secs => ${FAULT_AFTER_SECONDS})`

/** Twice as long as a trigger is left alone by itself, and more than its job is given. */
const UNSWEPT = `select sum(found) as found from (
  select count(*) as found from automation_sweeps s
  join automations a on a.workspace_id = s.workspace_id and a.id = s.automation_id and a.stopped_at is null
    and a.entry_open and not ${IS_HELD}
  where s.swept_to < now() - interval '30 minutes'
  union all
  select count(*) as found from automation_waits w
  join automations a on a.workspace_id = w.workspace_id and a.id = w.automation_id and ${GOES_ON}
  where w.due_at < now() - interval '30 minutes'
  union all
  select count(*) as found from segment_watches w where w.due_at < now() - interval '30 minutes' and exists (
    select from automation_listens l
    join automation_versions v on v.workspace_id = l.workspace_id and v.automation_id = l.automation_id
      and v.version = l.version and w.segment_id = any (v.segment_ids)
    join automations a on a.workspace_id = l.workspace_id and a.id = l.automation_id and a.stopped_at is null and not ${IS_HELD}
    where l.workspace_id = w.workspace_id and l.name in ('segment.entered', 'segment.left'))) kinds`
