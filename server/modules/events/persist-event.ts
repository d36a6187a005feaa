import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import { IN_RANGE, queryRange } from '../../platform/outbox/range.ts'

/** Keeps every event of the log in `events`, where timelines, segments and recovery read it, and which names there are. */
export const persistEvent: ConsumerGroup = {
  group: 'persist',
  handler: 'persist_event',
  reach: 'database',
  gathers: true,
  async handle(tx, range) {
    // No ON CONFLICT: a doubled effect would be a broken cursor and must be seen.
    await queryRange(tx, range, {
      name: 'persist_event',
      text: `with stored as (
        insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, subject_id, email, phone,
          data, occurred_at, visitor_id, source, proof, tx)
        select workspace_id, position, recorded_at, type, name, subject, contact_id, subject_id, email, phone,
          data::jsonb, occurred_at, visitor_id, source, proof, case when visitor_id is not null then tx end
        from ${IN_RANGE}
        returning workspace_id, id, recorded_at, name
      )
      insert into event_actions as seen (workspace_id, name, last_seen_at, event_id)
      select workspace_id, name, max(recorded_at), max(id) from stored group by 1, 2
      on conflict (workspace_id, name) do update
        set last_seen_at = excluded.last_seen_at, event_id = excluded.event_id
        where seen.last_seen_at < excluded.last_seen_at - interval '1 minute'`,
    })
  },
}
