import { IN_RANGE } from '../../../platform/outbox/range.ts'

/**
 * SQL: events of a range that are of a contact, as `e`; those of one merged meanwhile are of the contact that it became part of. Each is looked
 * up by itself, which a limit holds the planner to: it takes few events to be left, and would compare each with all that were merged. And
 * `offset` makes a column of `coalesce`: as an expression it might leak what row-level security hides, and is no condition of an index.
 */
export const EVENTS = `(select e.workspace_id, e.tx, e.position, e.recorded_at, e.type, e.name, e.data, coalesce(m.survivor_id, e.contact_id) as contact_id
    from (select workspace_id, tx, position, recorded_at, type, name, data, contact_id from ${IN_RANGE}) e
    left join lateral (
      select survivor_id from contact_merges where workspace_id = e.workspace_id and merged_id = e.contact_id limit 1
    ) m on true
    where e.contact_id is not null offset 0) e`
