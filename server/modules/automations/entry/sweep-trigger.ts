import { sql as raw } from 'kysely'
import type pg from 'pg'
import { textArray } from '../../../platform/db/arrays.ts'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { enqueue } from '../../../platform/jobs/enqueue.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import { Problem } from '../../../platform/problem.ts'
import { segmentMembers } from '../../segments/segment-members.ts'
import type { DateTrigger, ScheduleTrigger } from '../definition/definition.ts'
import type { Sweep } from '../definition/sweeps.ts'
import { closingsWithin } from './closings.ts'
import { type Between, isOn, nextCheck, occurrencesIn, valuesFor } from './due-dates.ts'
import { keyOfDate, keyOfSchedule } from './occurrence-key.ts'
import { COMERS_A_CHUNK, PLACE_COMERS } from './place-comers.ts'

/** After a longer outage, moments that are longer ago are left out. */
const GAP_MS_MAX = 31 * DAY_MS
const FIND_MS_MAX = 60_000
const ANSWER_MS = 5_000

export type SweepKey = { workspaceId: string; automationId: string; spec: string }

export const SWEEP_TRIGGER = jobKind<SweepKey>({
  kind: 'sweep_trigger',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, automationId, spec }) => `${workspaceId}/${automationId}/${spec}`,
})

const build = createQueryBuilder<Record<string, never>>()

/**
 * The job `sweep_trigger`: has those come in for whom the moment of a date or a schedule has come since the last time, whenever that
 * was. The people and how far it has come are written in one transaction, so everybody comes in once; and each occurrence
 * is a key of its own in the ledger of entries. Moments at which the entry was closed bring nobody in. A trigger that a newer version has
 * otherwise is done up to that one, and no more; those of an automation that was stopped are forgotten.
 */
export async function sweepTrigger(pool: pg.Pool, key: SweepKey): Promise<void> {
  try {
    await inTransaction(pool, key.workspaceId, (tx) => sweep(tx, key))
  } catch (error) {
    const fault =
      error instanceof Problem
        ? (error.detail ?? error.title)
        : databaseOutcome(error) === 'timed_out'
          ? `its people could not be found within ${FIND_MS_MAX / 1_000} seconds`
          : undefined
    if (fault === undefined) throw error
    await inTransaction(pool, key.workspaceId, (tx) => noteFault(tx, key, fault))
  }
}

type State = { sweptTo: string; to: string; ended: boolean; isOver: boolean }

async function sweep(tx: Transaction, key: SweepKey): Promise<void> {
  const { workspaceId, automationId, spec } = key
  const { rows } = await tx.query<State>({
    name: 'automation_sweep',
    text: `select s.swept_to as "sweptTo", coalesce(s.ends_at, postroom_clock()) as "to", s.ends_at is not null as ended,
        a.stopped_at is not null as "isOver"
      from automation_sweeps s join automations a on a.workspace_id = s.workspace_id and a.id = s.automation_id
      where s.workspace_id = $1 and s.automation_id = $2 and s.spec = $3`,
    values: [workspaceId, automationId, spec],
  })
  const [state] = rows
  if (!state) return
  if (state.isOver) return forget(tx, key, state)
  const toMs = Date.parse(state.to)
  const between = { fromMs: Math.max(Date.parse(state.sweptTo), toMs - GAP_MS_MAX), toMs }
  const trigger = JSON.parse(spec) as Sweep
  const patient = withQueryTimeout(tx, FIND_MS_MAX + ANSWER_MS)
  await tx.query(`set local statement_timeout = ${FIND_MS_MAX}`)
  const isClosed = await closingsWithin(tx, key, between)
  const came =
    'date' in trigger
      ? await putDated(patient, key, { trigger, between, isClosed })
      : await putScheduled(patient, key, { trigger, between, isClosed, ended: state.ended })
  if (came) await enqueue(tx, PLACE_COMERS, { workspaceId, automationId })
  if (state.ended) return forget(tx, key, state)
  const at = 'date' in trigger ? trigger.at : trigger.schedule.at
  const { rowCount } = await tx.query({
    name: 'note_automation_sweep',
    text: `update automation_sweeps set swept_to = $4, error = null, next_check_at = to_timestamp($6::float8 / 1000)
      where workspace_id = $1 and automation_id = $2 and spec = $3 and swept_to = $5`,
    values: [workspaceId, automationId, spec, state.to, state.sweptTo, nextCheck(at, toMs)],
  })
  if (rowCount === 0) throw sweptTwice(key)
}

/** Takes out a trigger that owes nothing any more. */
async function forget(tx: Transaction, key: SweepKey, { sweptTo }: State): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'forget_automation_sweep',
    text: 'delete from automation_sweeps where workspace_id = $1 and automation_id = $2 and spec = $3 and swept_to = $4',
    values: [key.workspaceId, key.automationId, key.spec, sweptTo],
  })
  if (rowCount === 0) throw sweptTwice(key)
}

/** Somebody else has done it meanwhile, and what was found here is undone. */
const sweptTwice = ({ automationId, spec }: SweepKey) =>
  new Error(`the trigger ${spec} of automation ${automationId} was swept by another at the same time`)

type Putting<T> = { trigger: T & { zone: string }; between: Between; isClosed: (atMs: number) => boolean }

/** People with a date whose time of day has come by their own clock. Answers whether there is anybody. */
async function putDated(
  tx: Transaction,
  { workspaceId, automationId }: SweepKey,
  { trigger, between, isClosed }: Putting<DateTrigger>,
): Promise<boolean> {
  const { rows: zones } = await tx.query<{ zone: string }>({
    name: 'zones_of_contacts',
    text: ZONES,
    values: [workspaceId, trigger.zone],
  })
  const due = zones.flatMap(({ zone }) =>
    occurrencesIn(zone, trigger.at, between).flatMap(({ date, atMs }) => {
      if (isClosed(atMs)) return []
      const { of, values } = valuesFor(trigger, date)
      return values.map((value) => ({
        zone,
        value,
        at: new Date(atMs).toISOString(),
        key: keyOfDate(trigger, of),
      }))
    }),
  )
  if (due.length === 0) return false
  const { rows } = await tx.query<{ people: number }>({
    name: `put_dated_${trigger.repeat}`,
    text: dated(trigger.repeat === 'yearly' ? `right(d.day, 5)` : 'd.day'),
    values: [
      ...[workspaceId, automationId, trigger.date, trigger.zone],
      textArray(due.map(({ zone }) => zone)),
      textArray(due.map(({ value }) => value)),
      textArray(due.map(({ at }) => at)),
      textArray(due.map(({ key }) => key)),
    ],
  })
  return rows[0]!.people > 0
}

/** All zones of a workspace's people, each found by one look into the index; the last is that of people without one. */
const ZONES = `with recursive zones as (
    (select time_zone as zone from contacts where workspace_id = $1 and time_zone is not null order by time_zone limit 1)
    union all
    select (select time_zone from contacts where workspace_id = $1 and time_zone > z.zone order by time_zone limit 1)
    from zones z where z.zone is not null
  )
  select zone from zones where zone is not null
  union
  select $2`

/** Days before 1900, and the first of 1970, are what programs write for none. */
const dated = (value: string) => `with due as materialized (
    select * from unnest($5::text[], $6::text[], $7::text[], $8::text[]) as g(zone, value, at, key)
  ), people as materialized (
    select d.id, g.at, g.key from (
      select c.id, coalesce(c.time_zone, $4) as zone, left(c.custom_fields ->> $3, 10) as day from contacts c
      where c.workspace_id = $1 and c.custom_fields ? $3
        and (c.time_zone = any ($5::text[]) or c.time_zone is null and $4 = any ($5::text[]))
    ) d join due g on g.zone = d.zone and g.value = ${value}
    where d.day ~ '^(?:-|19|[2-9])' and d.day <> '1970-01-01'
  ), numbered as (
    select *, (row_number() over (partition by at, key order by id) - 1) / ${COMERS_A_CHUNK} as part from people
  ), put as (
    insert into automation_comers (workspace_id, automation_id, contact_ids, begins_at, entry_key, of_occurrence)
    select $1, $2, array_agg(id order by id), at::timestamptz, key, true from numbered
    where (select count(*) from people) > 0 group by at, key, part order by at, key, part
  )
  select count(*)::int as people from people`

/** The people of a segment at the last time that the schedule named; earlier ones of an outage are over. */
async function putScheduled(
  tx: Transaction,
  key: SweepKey,
  { trigger, between, isClosed, ended }: Putting<ScheduleTrigger> & { ended: boolean },
): Promise<boolean> {
  const { workspaceId, automationId } = key
  const { schedule, segment, zone } = trigger
  const last = occurrencesIn(zone, schedule.at, between)
    .filter(({ date }) => isOn(schedule, date))
    .at(-1)
  if (last === undefined || isClosed(last.atMs)) return false
  const members = await segmentMembers(tx, workspaceId, { id: segment })
  if (!members) return false
  // The author may move the time of the only one of a day: those of the day have come in all the same.
  const at = (await hasOthers(tx, key, { segment, date: last.date, ended })) ? schedule.at : null
  const query = raw`with people as materialized (${members}), numbered as (
      select id, (row_number() over (order by id) - 1) / ${raw.lit(COMERS_A_CHUNK)} as part from people
    ), put as (
      insert into automation_comers (workspace_id, automation_id, contact_ids, begins_at, entry_key, of_occurrence)
      select cast(${workspaceId} as bigint), cast(${automationId} as bigint), array_agg(id order by id),
        cast(${new Date(last.atMs).toISOString()} as timestamptz), cast(${keyOfSchedule(trigger, { date: last.date, at })} as text), true
      from numbered where (select count(*) from people) > 0 group by part order by part
    )
    select cast(count(*) as integer) as people from people`
  const { rows } = await tx.query<{ people: number }>(statementOf({ compile: () => query.compile(build) }))
  return rows[0]!.people > 0
}

/** Whether the automation has other schedules, of its version or of those before, that bring people of the segment in on that day. */
async function hasOthers(
  tx: Transaction,
  { workspaceId, automationId, spec }: SweepKey,
  { segment, date, ended }: { segment: string; date: string; ended: boolean },
): Promise<boolean> {
  const { rows } = await tx.query<{ spec: string }>({
    name: 'other_automation_sweeps',
    text: `select spec from automation_sweeps where workspace_id = $1 and automation_id = $2 and spec <> $3
      and (ends_at is not null) = $4`,
    values: [workspaceId, automationId, spec, ended],
  })
  return rows
    .map((row) => JSON.parse(row.spec) as Sweep)
    .some((other) => 'schedule' in other && other.segment === segment && isOn(other.schedule, date))
}

async function noteFault(tx: Transaction, { workspaceId, automationId, spec }: SweepKey, fault: string): Promise<void> {
  await tx.query({
    name: 'note_fault_of_sweep',
    text: `update automation_sweeps set error = $4 where workspace_id = $1 and automation_id = $2 and spec = $3`,
    values: [workspaceId, automationId, spec, fault],
  })
}
