import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import { IN_RANGE, queryRange } from '../../platform/outbox/range.ts'

/**
 * Keeps the list of addresses that must not be mailed: complaints, and bounces for a permanent cause. It acts on the
 * system's own event types only; what a caller records under such a name has the type `event.recorded`. Why it is listed is
 * kept with it: the message and what the receiver said.
 */
export const updateSuppression: ConsumerGroup = {
  group: 'suppression',
  handler: 'update_suppression',
  reach: 'database',
  gathers: true,
  async handle(tx, range) {
    await queryRange(tx, range, {
      name: 'update_suppression',
      text: `insert into suppressions (workspace_id, destination, reason, message_id, detail)
        select distinct on (workspace_id, lower(email)) workspace_id, lower(email),
          case type when 'email.complained' then 'complaint' else 'bounce' end,
          (data ->> 'messageId')::bigint, nullif(left(data ->> 'detail', 500), '')
        from (select * from ${IN_RANGE}) range
        where email is not null
          and (type = 'email.complained' or (type = 'email.bounced' and data ->> 'bounceKind' = 'permanent'))
        order by workspace_id, lower(email), type desc
        on conflict (workspace_id, destination) do nothing`,
    })
  },
}
