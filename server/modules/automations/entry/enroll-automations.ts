import type { ConsumerGroup } from '../../../platform/outbox/consumer-group.ts'
import { planAnew } from '../../../platform/outbox/plans.ts'
import { IN_RANGE, queryRange } from '../../../platform/outbox/range.ts'
import { slotOf } from './slots.ts'

/**
 * Notes for every automation that listens to an event whose contact it may concern. It moves nobody: turns do, in the
 * order of the events (ADR 15). An event without a contact, or of one erased meanwhile, concerns nobody; one of a contact
 * merged meanwhile concerns the one it became part of.
 */
export const enrollAutomations: ConsumerGroup = {
  group: 'automations',
  handler: 'enroll_automations',
  reach: 'mailbox',
  gathers: true,
  async handle(tx, range) {
    const { rows } = await queryRange<{ wanted: boolean }>(tx, range, { name: 'enrolling_events', text: WANTED })
    if (!rows[0]!.wanted) return
    planAnew(tx)
    await queryRange(tx, range, {
      name: 'enroll_automations',
      text: `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, way)
        select l.workspace_id, l.automation_id, ${slotOf('c.id')}, c.id, 0, 'entry', range.position, range.recorded_at,
          l.version, min(l.way)
        from (select workspace_id, position, recorded_at, name, contact_id from ${IN_RANGE}) range
        join automation_listens l
          on l.workspace_id = range.workspace_id and l.name = range.name and l.kind = 'entry'
        left join contact_merges m on m.workspace_id = range.workspace_id and m.merged_id = range.contact_id
        join contacts c on c.workspace_id = range.workspace_id and c.id = coalesce(m.survivor_id, range.contact_id)
        group by l.workspace_id, l.automation_id, c.id, range.position, range.recorded_at, l.version
        order by 1, 2, 4, 7`,
    })
  },
}

/** Whether any automation wants any of these events. Most stretches hold none: the joins are planned for the others only. */
const WANTED = `select exists (
    select from (select workspace_id, name from ${IN_RANGE}) range
    where (select 1 from automation_listens l where l.workspace_id = range.workspace_id and l.name = range.name
      limit 1) is not null) as wanted`
