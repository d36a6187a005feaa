import type { Transaction } from '../../../platform/db/transaction.ts'
import { IN_RANGE, queryRange, type Range } from '../../../platform/outbox/range.ts'
import type { RunLane } from '../run-lanes.ts'
import { EVENTS } from './events-of-range.ts'
import { slotOf } from './slots.ts'

/** SQL: an event after which a contact may have another time zone, for events with `type` and `data`. */
const GIVES_ZONE = `case type when 'contact.merged' then true when 'contact.updated' then data::jsonb -> 'changed' ? 'timeZone' else false end`

/** SQL: whether there is one of these in a range. */
export const ZONES_GIVEN = `exists (select from (select type, data from ${IN_RANGE}) range where ${GIVES_ZONE})`

/**
 * Puts a row into the queue for each run of a contact that has another time zone, wherever it stands: a turn that is under way may have
 * read the one before, and comes to this row behind its own. Answers the lanes to wake.
 */
export async function putZoneSignals(tx: Transaction, range: Range): Promise<RunLane[]> {
  const { rows } = await queryRange<RunLane>(tx, range, {
    name: 'zones_for_automations',
    text: `with put as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version)
        select r.workspace_id, r.automation_id, ${slotOf('r.contact_id')}, r.contact_id, r.id, 'zone', e.position, e.recorded_at, r.version
        from (select * from ${EVENTS} where ${GIVES_ZONE} offset 0) e
        cross join lateral (
          select * from runs where workspace_id = e.workspace_id and contact_id = e.contact_id offset 0
        ) r
        order by 1, 2, 4, 5, 7
        on conflict do nothing returning workspace_id, automation_id, slot
      )
      select distinct workspace_id as "workspaceId", automation_id as "automationId", slot from put`,
  })
  return rows
}
