-- keeps 0148
-- formerly 8eafdbf39a0c7d479fe77ba70ff652616e793b080f7165977db0de52e1d7b6e2
-- What became of the mail of each step of an automation, kept with the ledger's rows by a trigger, as `message_totals` are of
-- broadcasts. Messages: each once, however often its person opens it. Machines are in none of it.
-- From here on until both are there nobody changes a message. A run that did not come to its end is undone.
lock table messages in share row exclusive mode;
drop table if exists node_mails;

create table node_mails (
  workspace_id bigint not null,
  automation_id bigint not null,
  -- When it came about, as in `node_hours`: of shard 0 the beginning of a day in UTC, or -infinity; else of an hour.
  hour timestamptz not null,
  version integer not null,
  node text not null,
  kind text not null check (kind in ('accepted', 'opened', 'clicked', 'unsubscribed', 'bounced', 'complained')),
  shard smallint not null,
  total bigint not null,
  primary key (workspace_id, automation_id, hour, version, node, kind, shard)
) with (fillfactor = 50);
create index node_mails_unfolded on node_mails (hour) where shard > 0;
create index node_mails_folded on node_mails (hour) where shard = 0;
select postroom_guard('node_mails');

create or replace function count_node_mails() returns trigger language plpgsql as $$
begin
  if not exists (select from after where source_kind = 'automation') then
    return null;
  end if;
  insert into node_mails as t (workspace_id, automation_id, hour, version, node, kind, shard, total)
  select changed.workspace_id, r.automation_id, date_trunc('hour', postroom_clock(), 'UTC'), r.version, r.node, changed.kind,
    pg_backend_pid() % 8 + 1, sum(changed.n)
  from (
    select workspace_id, id, created_at, kind, sum(n) as n from (
      select workspace_id, id, created_at, -1 as n, unnest(array[case when state = 'accepted' then 'accepted' end,
        case when opened_at is not null then 'opened' end, case when clicked_at is not null then 'clicked' end,
        case when unsubscribed_at is not null then 'unsubscribed' end, case when bounced_at is not null then 'bounced' end,
        case when complained_at is not null then 'complained' end]) as kind
      from before where source_kind = 'automation'
      union all
      select workspace_id, id, created_at, 1, unnest(array[case when state = 'accepted' then 'accepted' end,
        case when opened_at is not null then 'opened' end, case when clicked_at is not null then 'clicked' end,
        case when unsubscribed_at is not null then 'unsubscribed' end, case when bounced_at is not null then 'bounced' end,
        case when complained_at is not null then 'complained' end])
      from after where source_kind = 'automation') marks
    where kind is not null group by 1, 2, 3, 4 having sum(n) <> 0
  -- Each looked up by its key: a plan that is kept for few rows serves many.
  ) changed cross join lateral (select automation_id, version, node from run_messages
    where workspace_id = changed.workspace_id and message_id = changed.id and created_at = changed.created_at limit 1) r
  group by 1, 2, 4, 5, 6 having sum(changed.n) <> 0 order by 1, 2, 4, 5, 6
  on conflict (workspace_id, automation_id, hour, version, node, kind, shard) do update set total = t.total + excluded.total;
  return null;
end $$;

-- What is made is pending, suppressed or skipped: only changes are counted. By its name it comes after `count_changed` and `count_hours`.
create or replace trigger count_node_mails after update on messages referencing old table as before new table as after
  for each statement execute function count_node_mails();

-- beside others
-- What was there already: a million take seconds, on a busy machine most of a minute, in which no message could be made or sent.
insert into node_mails (workspace_id, automation_id, hour, version, node, kind, shard, total)
select r.workspace_id, r.automation_id,
  case when mark.at < date_trunc('day', now(), 'UTC') - interval '32 days' then '-infinity' else date_trunc('day', mark.at, 'UTC') end,
  r.version, r.node, mark.kind, 0, count(*)
from run_messages r join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id and m.created_at = r.created_at
  cross join lateral (values
    ('accepted', case when m.state = 'accepted' then m.settled_at end), ('opened', m.opened_at), ('clicked', m.clicked_at),
    ('unsubscribed', m.unsubscribed_at), ('bounced', m.bounced_at), ('complained', m.complained_at)) mark (kind, at)
where mark.at is not null
group by 1, 2, 3, 4, 5, 6;
