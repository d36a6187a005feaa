import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Sweep } from '../definition/sweeps.ts'

type Trouble = { segment: string | null; spec: string | null; error: string }

/** Sentences on why people do not come into an automation or on in it: segments that cannot be told, dates that cannot be looked up. */
export async function troublesOf(
  tx: Transaction,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<string[]> {
  const { rows } = await tx.query<Trouble>({
    name: 'troubles_of_automation',
    text: `select s.name as segment, null as spec, w.error from segment_watches w
        join segments s on s.workspace_id = w.workspace_id and s.id = w.segment_id
        where w.workspace_id = $1 and w.error is not null and exists (
          select from automation_listens l join automation_versions v on v.workspace_id = l.workspace_id
            and v.automation_id = l.automation_id and v.version = l.version and w.segment_id = any (v.segment_ids)
          where l.workspace_id = $1 and l.automation_id = $2 and l.name in ('segment.entered', 'segment.left'))
      union all
      select null, spec, error from automation_sweeps
        where workspace_id = $1 and automation_id = $2 and error is not null
      union all
      select null, null, error from automation_waits
        where workspace_id = $1 and automation_id = $2 and error is not null
      order by 1, 2`,
    values: [workspaceId, id],
  })
  return rows.map(({ segment, spec, error }) => {
    if (segment !== null) return `Nobody can tell who is in the segment “${segment}”: ${error}.`
    if (spec !== null) return `Nobody comes in by ${triggerOf(spec)}: ${error}.`
    return `Some who wait for a rule to hold cannot be asked: ${error}.`
  })
}

function triggerOf(spec: string): string {
  const sweep = JSON.parse(spec) as Sweep
  return 'date' in sweep ? `the date ${sweep.date}` : `the schedule of segment ${sweep.segment}`
}
