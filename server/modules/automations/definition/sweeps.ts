import { textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { DateTrigger, Definition, ScheduleTrigger } from './definition.ts'

/** A trigger that a time brings about, with the zone of people who have none, or of the automation. */
export type Sweep = (DateTrigger | ScheduleTrigger) & { zone: string }

export const sweepsOf = ({ enter, defaultZone: zone }: Definition): Sweep[] =>
  enter.on.flatMap((one) => ('date' in one || 'schedule' in one ? [{ ...one, zone }] : []))

/**
 * From now on these are looked after. One that was there before goes on where it was: nobody falls between two versions. One that
 * there is no more, but another of the same date or segment, still owes what came until now and was not swept yet.
 */
export async function writeSweeps(
  tx: Transaction,
  { workspaceId, id }: { workspaceId: string; id: string },
  definition: Definition,
): Promise<void> {
  const sweeps = sweepsOf(definition)
  const specs = textArray([...new Set(sweeps.map((one) => JSON.stringify(one)))])
  const dates = textArray(sweeps.flatMap((one) => ('date' in one ? [one.date] : [])))
  const segments = textArray(sweeps.flatMap((one) => ('date' in one ? [] : [one.segment])))
  // One moment, in which the older ones end and the newer begin.
  const { rows } = await tx.query<{ now: string }>({
    name: 'clock_of_sweeps',
    text: 'select postroom_clock()::text as now',
  })
  const { now } = rows[0]!
  await tx.query({
    name: 'drop_automation_sweeps',
    text: `delete from automation_sweeps where workspace_id = $1 and automation_id = $2 and spec <> all ($3::text[])
        and not (coalesce(spec::jsonb ->> 'date' = any ($4::text[]), false)
          or coalesce(spec::jsonb ->> 'segment' = any ($5::text[]), false))`,
    values: [workspaceId, id, specs, dates, segments],
  })
  await tx.query({
    name: 'end_automation_sweeps',
    text: `update automation_sweeps set ends_at = $4, next_check_at = $4
      where workspace_id = $1 and automation_id = $2 and spec <> all ($3::text[]) and ends_at is null`,
    values: [workspaceId, id, specs, now],
  })
  await tx.query({
    name: 'write_automation_sweeps',
    text: `insert into automation_sweeps (workspace_id, automation_id, spec, swept_to, next_check_at)
      select $1, $2, spec, $4, $4 from unnest($3::text[]) spec
      on conflict (workspace_id, automation_id, spec) do update set ends_at = null`,
    values: [workspaceId, id, specs, now],
  })
}
