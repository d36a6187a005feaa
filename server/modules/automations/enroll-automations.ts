import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import { planAnew } from '../../platform/outbox/plans.ts'
import { IN_RANGE, queryRange } from '../../platform/outbox/range.ts'

/**
 * Enrolls the contact of an event in every active automation that the event's name triggers. A contact is enrolled in
 * an automation once; an event without a contact, or of a contact erased meanwhile, enrolls nobody. An event of a contact
 * merged meanwhile enrolls the one it became part of.
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
      text: `insert into enrollments (workspace_id, automation_id, contact_id, event_id)
        select distinct on (a.workspace_id, a.id, c.id) a.workspace_id, a.id, c.id, range.position
        from (select workspace_id, position, name, contact_id from ${IN_RANGE}) range
        join automations a
          on a.workspace_id = range.workspace_id and a.trigger_event = range.name and a.status = 'active'
        left join contact_merges m on m.workspace_id = range.workspace_id and m.merged_id = range.contact_id
        join contacts c on c.workspace_id = range.workspace_id and c.id = coalesce(m.survivor_id, range.contact_id)
        order by a.workspace_id, a.id, c.id, range.position
        on conflict (workspace_id, automation_id, contact_id) do nothing`,
    })
  },
}

/** Whether any automation wants any of these events. Most stretches hold none: the joins are planned for the others only. */
const WANTED = `select exists (
    select from (select workspace_id, name from ${IN_RANGE}) range
    where (select 1 from automations a
      where a.workspace_id = range.workspace_id and a.trigger_event = range.name and a.status = 'active'
      limit 1) is not null) as wanted`
