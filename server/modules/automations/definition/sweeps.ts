import { textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { DateTrigger, Definition, ScheduleTrigger } from './definition.ts'

/** A trigger that a time brings about, with the zone of people who have none, or of the automation. */
export type Sweep = (DateTrigger | ScheduleTrigger) & { zone: string }

export const sweepsOf = ({ enter, defaultZone: zone }: Definition): Sweep[] =>
  enter.on.flatMap((one) => ('date' in one || 'schedule' in one ? [{ ...one, zone }] : []))

/** From now on these are looked after. One that was there before goes on where it was: nobody falls between two versions. */
export async function writeSweeps(
  tx: Transaction,
  { workspaceId, id }: { workspaceId: string; id: string },
  definition: Definition,
): Promise<void> {
  const specs = textArray([...new Set(sweepsOf(definition).map((one) => JSON.stringify(one)))])
  await tx.query({
    name: 'drop_automation_sweeps',
    text: 'delete from automation_sweeps where workspace_id = $1 and automation_id = $2 and spec <> all ($3::text[])',
    values: [workspaceId, id, specs],
  })
  await tx.query({
    name: 'write_automation_sweeps',
    text: `insert into automation_sweeps (workspace_id, automation_id, spec)
      select $1, $2, spec from unnest($3::text[]) spec on conflict do nothing`,
    values: [workspaceId, id, specs],
  })
}
