import { type RawBuilder, sql } from 'kysely'
import { doesHeed, RULES, type Rule } from './refusal.ts'

type Sql = RawBuilder<unknown>

/** The mail that is forecast: a broadcast's. */
const MAIL = { purpose: 'marketing', sourceKind: 'broadcast' } as const

/**
 * The rules once more, for hundreds of thousands of contacts at once: `REFUSAL` looks up each of them by itself, which is
 * right for the thousands of a statement that sends, and ten times slower here. A test holds the two to each other. `c` is
 * the contact, `destination` its address as messages have it.
 */
const FINDINGS: Readonly<Record<Rule, { join?: Sql; refused: Sql; as: Sql }>> = {
  address: { refused: sql`c.destination is null`, as: sql`'skipped:no_email'` },
  suppression: {
    join: sql`left join suppressions s on s.workspace_id = c.workspace_id and s.destination = c.destination`,
    refused: sql`s.reason is not null`,
    as: sql`'suppressed:' || s.reason`,
  },
  everything: {
    join: sql`left join unsubscribes e on e.workspace_id = c.workspace_id and e.destination = c.destination
      and e.sending_source = 'everything'`,
    refused: sql`e.id is not null`,
    as: sql`'skipped:unsubscribed_everything'`,
  },
  source: {
    join: sql`left join unsubscribes b on b.workspace_id = c.workspace_id and b.destination = c.destination
        and b.sending_source = 'broadcasts'
      left join unsubscribes o on o.workspace_id = c.workspace_id and o.destination = c.destination
        and o.sending_source = (select 'topic:' || topic_id from settings)
      left join topic_subscriptions y on y.workspace_id = c.workspace_id and y.contact_id = c.id
        and y.topic_id = (select topic_id from settings)`,
    refused: sql`(o.id is not null or b.id is not null and y.contact_id is null)`,
    as: sql`'skipped:unsubscribed_source'`,
  },
  topic: {
    refused: sql`(select topic_id is not null and not is_for_everyone from settings) and y.contact_id is null`,
    as: sql`'skipped:not_subscribed'`,
  },
  // Every contact that is looked at is there.
  contact: { refused: sql`false`, as: sql`'skipped:contact_gone'` },
  proof: {
    join: sql`left join unproven_contacts u on u.workspace_id = c.workspace_id and u.contact_id = c.id`,
    refused: sql`u.contact_id is not null`,
    as: sql`'skipped:unproven'`,
  },
  consent: {
    join: sql`left join contact_consents k on k.workspace_id = c.workspace_id and k.contact_id = c.id`,
    refused: sql`k.contact_id is null and y.by_whom is distinct from 'person' and (select double_opt_in from settings)`,
    as: sql`'skipped:unconfirmed'`,
  },
}

/**
 * How many contacts a broadcast to `members`, a sub-query of one column `id`, would be refused for, by `state:reason`; null
 * are those who would get it.
 */
export function refusalForecast(workspaceId: string, members: Sql, topicId: string | null = null): Sql {
  const heeded = RULES.filter((rule) => doesHeed(MAIL, rule)).map((rule) => FINDINGS[rule])
  const joins = heeded.flatMap(({ join }) => join ?? [])
  const whens = heeded.map(({ refused, as }) => sql`when ${refused} then ${as}`)
  return sql`with settings as materialized (
      select coalesce(bool_or(double_opt_in), false) as double_opt_in, cast(${topicId} as bigint) as topic_id,
        exists (select from topics t where t.workspace_id = cast(${workspaceId} as bigint)
          and t.id = cast(${topicId} as bigint) and t.subscription = 'everyone' and t.deleted_at is null) as is_for_everyone
      from sending_settings where workspace_id = cast(${workspaceId} as bigint)
    ), c as materialized (
      select c.workspace_id, c.id, lower(c.email) as destination from (${members}) member
      join contacts c on c.workspace_id = cast(${workspaceId} as bigint) and c.id = member.id
    )
    select case ${sql.join(whens, sql` `)} end as refusal, count(*) as count from c ${sql.join(joins, sql` `)} group by 1`
}
