import type { CrowdWorld } from './world.ts'

/** Mail to an address right behind the erasure of whoever had it: what is told of it until the sweep begins is taken for theirs. */
const WAS_ERASED = `exists (select from erasures e where alias_hash(m.workspace_id, 'email', m.destination) = any (e.alias_hashes))`

/** Mail that nobody saw taken, and that was opened or came back: that is told by its own event alone. */
const WAS_SEEN_BY_READER = `(m.reply is null and exists (select from message_attempts a where a.message_id = m.id and a.outcome = 'uncertain')
  and coalesce(m.opened_at, m.clicked_at, m.unsubscribed_at, m.complained_at, m.bounced_at) is not null)`

/** Faults of sums that triggers and turns keep, each a statement that finds those which are not what their rows say. */
const SUMS: Record<string, string> = {
  'tags are counted': `select t.id, coalesce(sum(n.total), 0) as kept, (select count(*) from contact_tags c where c.tag_id = t.id) as counted
    from tags t left join tag_counts n on n.tag_id = t.id group by t.id
    having coalesce(sum(n.total), 0) <> (select count(*) from contact_tags c where c.tag_id = t.id)`,
  'messages of broadcasts are counted by how they ended': `select kept.*, counted.n from (
      select broadcast_id, kind, sum(total) as total from message_totals
      where kind ~ '^(pending|accepted|failed|suppressed|skipped|uncertain)' group by 1, 2 having sum(total) <> 0) kept
    full join (select source_id as broadcast_id, state || coalesce(':' || reason, '') as kind, count(*) as n from messages
      where source_kind = 'broadcast' group by 1, 2) counted using (broadcast_id, kind) where total is distinct from n`,
  'a broadcast has as many messages as people': `select id, status, recipients_total, planned_total from broadcasts b
    where started_at is not null and status <> 'failed' and recipients_total is distinct from (select count(*) from messages where source_id = b.id
      and source_kind = 'broadcast')`,
  'nobody is twice in a broadcast': `select source_id, contact_id, count(*) from messages
    where source_kind = 'broadcast' and contact_id is not null group by 1, 2 having count(*) > 1`,
  'each message has an end': `select id, source_kind, state from messages where state = 'pending'`,
  'who comes to a node leaves it, ends or stands there': `select automation_id, version, node,
      sum(total) filter (where kind = 'entered') as entered, sum(total) filter (where kind <> 'entered') as gone
    from node_totals where node <> '' group by 1, 2, 3
    having sum(total) filter (where kind = 'entered') is distinct from sum(total) filter (where kind ~ '^(left|ended|moved)')`,
  'an entry has one end': `select automation_id, entered, ended from (select automation_id, sum(total) as entered from node_totals
      where node = '' and kind = 'left:entered' group by 1) e
    full join (select automation_id, count(*) as ended from ended_runs group by 1) d using (automation_id) where entered is distinct from ended`,
  'goals are counted with their value': `select * from (select automation_id, sum(entered) as entered, sum(goals) as goals, sum(value) as value
      from entry_quarters group by 1) kept
    full join (select automation_id, count(*) as n, count(goal_at) as reached, coalesce(sum(goal_value), 0) as worth from ended_runs group by 1) runs
      using (automation_id) where (entered, goals, value) is distinct from (n, reached, worth)`,
  'nobody comes in twice by one event': `select automation_id, contact_id, event_id, count(*) from ended_runs
    where event_id > 0 and contact_id is not null group by 1, 2, 3 having count(*) > 1`,
  'simulations fail for nothing': `select id, state, failure from automation_simulations where state = 'failed'`,
  'who waited for a backfill has come to its end': `select automation_id, state, placed, events from automation_backfills where state = 'running'`,
  'an entry is told once': `select * from (select contact_id, automation_id, count(*) as n from ended_runs
      where contact_id in (select id from contacts) group by 1, 2) e
    full join (select contact_id, (data ->> 'automationId')::bigint as automation_id, count(*) as told from outbox
      where type = 'automation.entered' and contact_id in (select id from contacts) group by 1, 2) t using (contact_id, automation_id)
    where n is distinct from told`,
  'sums of automations are right by the service itself': `select * from automation_faults where found > 0 and fault <> 'overdue'`,
  'nothing of the log is parked': `select consumer_group, error from outbox_parked`,
  'all of the log is stored once': `select count(*) as log, (select count(*) from events) as stored from outbox
    having count(*) <> (select count(*) from events) or exists (select from outbox where not exists (
      select from events where id = outbox.position))`,
  'contacts are as many as came and neither left nor became part of others': `select * from (select
      (select count(*) from outbox where type = 'contact.created') - (select coalesce(sum(cardinality(contact_ids)), 0) from erasures)
        - (select count(*) from contact_merges) as told, (select count(*) from contacts) as there) n where told <> there`,
  'who is erased is told once': `select * from (select (select count(*) from outbox where type = 'contact.erased') as told,
      (select count(*) from erasures) as erased) n where told <> erased`,
  'rows of imports add up': `select id, state, rows_total, rows_read from imports where state = 'done'
    and rows_read <> rows_created + rows_updated + rows_failed + rows_skipped + rows_unchanged`,
  'bulk acts came to everybody': `select id, act, contacts_total, contacts_done from bulk_acts where state = 'done'
    and contacts_total <> contacts_done`,
  'acts, imports and exports fail only for what others did': `select * from (
      select 'bulk act' as what, id, failure from bulk_acts where state = 'failed'
      union all select 'import', id, failure from imports where state = 'failed'
      union all select 'export', id, failure from exports where state = 'failed') failed
    where failure !~ '^The tag .* was deleted|merged into (another contact|other contacts) meanwhile'`,
  'mail that was accepted is told once': `select m.id, m.source_kind, count(o.position) from messages m
    left join outbox o on o.type = 'email.sent' and o.data ->> 'messageId' = m.id::text
    where m.state = 'accepted' and m.destination <> '' and not ${WAS_SEEN_BY_READER} and not ${WAS_ERASED} group by m.id, m.source_kind having count(o.position) <> 1`,
  'what comes back is told once': `select type, data ->> 'messageId' as message, data ->> 'bounceKind' as kind, count(*) from outbox
    where type in ('email.bounced', 'email.complained') and data ->> 'messageId' is not null group by 1, 2, 3 having count(*) > 1`,
  'what came back of a message stands on it': `select m.id, m.bounced_at, m.complained_at from messages m where m.destination <> ''
    and not ${WAS_ERASED} and ((m.bounced_at is not null) is distinct from exists (select from outbox
        where type = 'email.bounced' and data ->> 'messageId' = m.id::text)
      or (m.complained_at is not null) is distinct from exists (select from outbox
        where type = 'email.complained' and data ->> 'messageId' = m.id::text))`,
  'what came back of a broadcast is counted': `select * from (select source_id as broadcast_id, kind, count(*) as n from messages m
      cross join lateral (values ('bounced', bounced_at), ('complained', complained_at), ('clicked', clicked_at), ('opened', opened_at),
        ('unsubscribed', unsubscribed_at)) mark (kind, at)
      where source_kind = 'broadcast' and at is not null group by 1, 2) counted
    full join (select broadcast_id, kind, sum(total) as total from message_totals
      where kind in ('bounced', 'complained', 'clicked', 'opened', 'unsubscribed') group by 1, 2 having sum(total) <> 0) kept
    using (broadcast_id, kind) where n is distinct from total`,
  // Of those who are erased while a server thinks about their mail nobody is told.
  'no mail is told that was not accepted': `select * from (select (select count(*) from outbox where type = 'email.sent') as told,
      count(*) as accepted, count(*) filter (where destination = '' or ${WAS_SEEN_BY_READER}) as erased from messages m where state = 'accepted') n
    where told > accepted or told < accepted - erased`,
}

/** Faults of all sums that the service keeps instead of counting. */
export async function judgeSums({ instance }: CrowdWorld): Promise<string[]> {
  const faults: string[] = []
  for (const [what, statement] of Object.entries(SUMS)) {
    const rows = await instance.sql(statement)
    faults.push(...rows.slice(0, 3).map((row) => `not so: ${what}: ${JSON.stringify(row)}`))
  }
  const kept = await instance.sql<{ relation: string; workspace_id: string; total: string }>(
    'select relation, workspace_id, sum(total) as total from row_counts group by 1, 2',
  )
  for (const { relation, workspace_id: workspace, total } of kept) {
    const live = ['forms', 'topics', 'automations'].includes(relation) ? ' and deleted_at is null' : ''
    const [row] = await instance.sql<{ n: string }>(
      `select count(*) as n from ${relation} where workspace_id = $1${live}`,
      [workspace],
    )
    if (row!.n !== total) faults.push(`not so: rows are counted: ${relation} has ${row!.n}, counted ${total}`)
  }
  return faults
}
