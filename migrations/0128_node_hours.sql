-- keeps 0119
-- The sums of nodes by the time in which they came about, kept by triggers on the sums themselves: no statement can change one
-- and forget the other. What was counted before is the beginning of time.
create table node_hours (
  workspace_id bigint not null,
  automation_id bigint not null,
  -- Its beginning. Of shard 0 that of a day in UTC, or -infinity: all before the days that are kept.
  hour timestamptz not null,
  version integer not null,
  node text not null,
  kind text not null,
  -- 0 once it is past and its shards are one; until then that of `node_totals`, and one more.
  shard smallint not null,
  total bigint not null,
  primary key (workspace_id, automation_id, hour, version, node, kind, shard)
) with (fillfactor = 50);
create index node_hours_unfolded on node_hours (hour) where shard > 0;
create index node_hours_folded on node_hours (hour) where shard = 0;
select postroom_guard('node_hours');

-- Whoever writes here holds the same row of `node_totals`, so that nobody waits for anybody here who has not waited there.
create function count_node_hours() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from after) then
      insert into node_hours as h (workspace_id, automation_id, hour, version, node, kind, shard, total)
      select workspace_id, automation_id, date_trunc('hour', postroom_clock(), 'UTC'), version, node, kind, shard + 1, total
      from after order by 1, 2, 4, 5, 6
      on conflict (workspace_id, automation_id, hour, version, node, kind, shard) do update set total = h.total + excluded.total;
    end if;
  elsif exists (select from after) then
    insert into node_hours as h (workspace_id, automation_id, hour, version, node, kind, shard, total)
    select workspace_id, automation_id, date_trunc('hour', postroom_clock(), 'UTC'), version, node, kind, shard + 1,
      a.total - b.total
    from after a join before b using (workspace_id, automation_id, version, node, kind, shard)
    where a.total <> b.total order by 1, 2, 4, 5, 6
    on conflict (workspace_id, automation_id, hour, version, node, kind, shard) do update set total = h.total + excluded.total;
  end if;
  return null;
end $$;
create trigger count_hours_added after insert on node_totals referencing new table as after
  for each statement execute function count_node_hours();
create trigger count_hours_changed after update on node_totals referencing old table as before new table as after
  for each statement execute function count_node_hours();

-- What is there already, behind the lock that the triggers took.
insert into node_hours (workspace_id, automation_id, hour, version, node, kind, shard, total)
select workspace_id, automation_id, '-infinity', version, node, kind, 0, sum(total) from node_totals group by 1, 2, 4, 5, 6;
