-- What became of mail hour by hour, kept with the rows by the triggers that keep `message_totals`, so that no chart ever
-- counts messages. Tests are nobody's mail and in none of it.

create table message_hours (
  workspace_id bigint not null,
  -- Empty: all mail of the workspace. Else `broadcast <id>` or `domain <name>`, the one that signed.
  about text not null,
  -- Its beginning. Of a domain the hour in which the message was accepted: what came back is a share of what went out.
  hour timestamptz not null,
  kind text not null check (kind in ('accepted', 'failed', 'opened', 'clicked', 'unsubscribed', 'bounced', 'complained')),
  -- 0 once the hour is past and its shards are one; until then those who write share 1 to 8.
  shard smallint not null,
  total bigint not null,
  primary key (workspace_id, about, hour, kind, shard)
) with (fillfactor = 50);
create index message_hours_unfolded on message_hours (hour) where shard > 0;
select postroom_guard('message_hours');

-- The same of what machines opened and clicked: messages, each once, in the hour of the first such hit. Only the job
-- `judge_hits` writes, one at a time for a workspace.
create table hit_hours (
  workspace_id bigint not null,
  about text not null,
  hour timestamptz not null,
  kind text not null check (kind in ('open', 'click')),
  machine_messages bigint not null,
  primary key (workspace_id, about, hour, kind)
);
select postroom_guard('hit_hours');

-- What of a message is counted, and in which hour.
create function message_marks(state text, sending_domain text, settled_at timestamptz, opened_at timestamptz,
  clicked_at timestamptz, unsubscribed_at timestamptz, bounced_at timestamptz, complained_at timestamptz)
returns table (is_of_domain boolean, kind text, hour timestamptz) language sql stable as $$
  select false, mark.kind, date_trunc('hour', mark.at, 'UTC') from (values
    ('accepted', case when state = 'accepted' then settled_at end),
    ('failed', case when state = 'failed' then settled_at end),
    ('opened', opened_at), ('clicked', clicked_at), ('unsubscribed', unsubscribed_at), ('bounced', bounced_at),
    ('complained', complained_at)) mark (kind, at)
  where mark.at is not null
  union all
  select true, mark.kind, date_trunc('hour', settled_at, 'UTC') from (values
    ('accepted', true), ('bounced', bounced_at is not null), ('complained', complained_at is not null)) mark (kind, holds)
  where mark.holds and state = 'accepted' and sending_domain is not null
$$;

create function count_message_hours() returns trigger language plpgsql as $$
begin
  insert into message_hours as t (workspace_id, about, hour, kind, shard, total)
  select workspace_id, subject, hour, kind, pg_backend_pid() % 8 + 1, sum(n) from (
    select m.workspace_id, m.source_kind, m.source_id, m.sending_domain, mark.is_of_domain, mark.kind, mark.hour, sum(m.n) as n
    from (select -1 as n, b.* from before b union all select 1, a.* from after a) m
    cross join lateral message_marks(m.state, m.sending_domain, m.settled_at, m.opened_at, m.clicked_at, m.unsubscribed_at,
      m.bounced_at, m.complained_at) mark
    where m.source_kind <> 'test' group by 1, 2, 3, 4, 5, 6, 7 having sum(m.n) <> 0
  ) counted cross join lateral unnest(case when is_of_domain then array['domain ' || sending_domain]
    else array['', case when source_kind = 'broadcast' then 'broadcast ' || source_id end] end) as subject
  where subject is not null
  group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
  on conflict (workspace_id, about, hour, kind, shard) do update set total = t.total + excluded.total;
  return null;
end $$;

-- What is made is pending, suppressed or skipped: only changes are counted here. By its name it comes after `count_changed`.
create trigger count_hours after update on messages referencing old table as before new table as after
  for each statement execute function count_message_hours();

-- What is there already: some two seconds for a million messages.
insert into message_hours (workspace_id, about, hour, kind, shard, total)
select workspace_id, about, hour, kind, 0, count(*) from (
  select m.workspace_id, mark.hour, mark.kind, unnest(case when mark.is_of_domain then array['domain ' || m.sending_domain]
    else array['', case when m.source_kind = 'broadcast' then 'broadcast ' || m.source_id end] end) as about
  from messages m cross join lateral message_marks(m.state, m.sending_domain, m.settled_at, m.opened_at, m.clicked_at,
    m.unsubscribed_at, m.bounced_at, m.complained_at) mark
  where m.source_kind <> 'test') counted
where about is not null group by 1, 2, 3, 4;

insert into hit_hours (workspace_id, about, hour, kind, machine_messages)
select workspace_id, about, hour, kind, count(*) from (
  select h.workspace_id, h.kind, date_trunc('hour', min(h.at), 'UTC') as hour,
    unnest(array['', case when m.source_kind = 'broadcast' then 'broadcast ' || m.source_id end]) as about
  from message_hits h join messages m on m.workspace_id = h.workspace_id and m.id = h.message_id
  where h.verdict = 'machine' and m.source_kind <> 'test'
  group by h.workspace_id, h.message_id, h.kind, m.source_kind, m.source_id) counted
where about is not null group by 1, 2, 3, 4;
