import { IN_RANGE } from '../../../platform/outbox/range.ts'

/** SQL: events of a range that are of a contact, as `e`; those of one merged meanwhile are of the contact that it became part of. */
export const EVENTS = `(select e.workspace_id, e.position, e.recorded_at, e.type, e.name, e.data, coalesce(m.survivor_id, e.contact_id) as contact_id
    from (select workspace_id, position, recorded_at, type, name, data, contact_id from ${IN_RANGE}) e
    left join contact_merges m on m.workspace_id = e.workspace_id and m.merged_id = e.contact_id
    where e.contact_id is not null) e`
