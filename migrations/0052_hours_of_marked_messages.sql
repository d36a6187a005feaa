-- Messages that nothing has happened to yet, as those that are claimed and handed over, have no hour: they are left out
-- before their marks are looked at, which is most of what the trigger cost.
create or replace function count_message_hours() returns trigger language plpgsql as $$
begin
  insert into message_hours as t (workspace_id, about, hour, kind, shard, total)
  select workspace_id, subject, hour, kind, pg_backend_pid() % 8 + 1, sum(n) from (
    select m.workspace_id, m.source_kind, m.source_id, m.sending_domain, mark.is_of_domain, mark.kind, mark.hour, sum(m.n) as n
    from (select -1 as n, b.* from before b union all select 1, a.* from after a) m
    cross join lateral message_marks(m.state, m.sending_domain, m.settled_at, m.opened_at, m.clicked_at, m.unsubscribed_at,
      m.bounced_at, m.complained_at) mark
    where m.source_kind <> 'test' and num_nonnulls(m.settled_at, m.opened_at, m.clicked_at, m.unsubscribed_at,
      m.bounced_at, m.complained_at) > 0
    group by 1, 2, 3, 4, 5, 6, 7 having sum(m.n) <> 0
  ) counted cross join lateral unnest(case when is_of_domain then array['domain ' || sending_domain]
    else array['', case when source_kind = 'broadcast' then 'broadcast ' || source_id end] end) as subject
  where subject is not null
  group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
  on conflict (workspace_id, about, hour, kind, shard) do update set total = t.total + excluded.total;
  return null;
end $$;
