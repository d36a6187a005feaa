-- keeps 0119
-- Sums of those who came in, by the quarter of an hour of their entry and the version they are in or have ended in: how many, how many
-- were held out, and who has reached the goal. Kept by triggers on runs and ended runs, so that no chart ever counts these. A quarter
-- of an hour, for the days of every zone begin with one.
create table entry_quarters (
  workspace_id bigint not null,
  automation_id bigint not null,
  -- Its beginning; -infinity: of entries whose runs are gone.
  quarter timestamptz not null,
  version integer not null,
  -- 0 once it is past and its shards are one; until then that of the contact's lane, and one more.
  shard smallint not null,
  entered bigint not null,
  goals bigint not null,
  value numeric not null,
  held_out bigint not null,
  primary key (workspace_id, automation_id, quarter, version, shard)
) with (fillfactor = 50);
create index entry_quarters_unfolded on entry_quarters (quarter) where shard > 0;
select postroom_guard('entry_quarters');

create function entry_quarter(entered_at timestamptz) returns timestamptz immutable parallel safe language sql
  return date_bin('15 minutes', entered_at, 'epoch');

-- Runs that are made and gone.
create function count_runs() returns trigger language plpgsql as $$
declare
  n integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  insert into entry_quarters as q (workspace_id, automation_id, quarter, version, shard, entered, goals, value, held_out)
  select workspace_id, automation_id, entry_quarter(entered_at), version, contact_id % 2 + 1, n * count(*), n * count(goal_at),
    n * coalesce(sum(goal_value), 0), 0
  from changed group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (workspace_id, automation_id, quarter, version, shard) do update set entered = q.entered + excluded.entered,
    goals = q.goals + excluded.goals, value = q.value + excluded.value;
  return null;
end $$;

-- Runs that reach their goal or come into another version. Most changes are none of these: they sum up to nothing.
create function count_changed_runs() returns trigger language plpgsql as $$
begin
  insert into entry_quarters as q (workspace_id, automation_id, quarter, version, shard, entered, goals, value, held_out)
  select workspace_id, automation_id, entry_quarter(entered_at), version, contact_id % 2 + 1, sum(n),
    coalesce(sum(n) filter (where goal_at is not null), 0), coalesce(sum(n * goal_value), 0), 0
  from (select -1 as n, b.* from before b union all select 1, a.* from after a) r
  group by 1, 2, 3, 4, 5
  having sum(n) <> 0 or coalesce(sum(n) filter (where goal_at is not null), 0) <> 0 or coalesce(sum(n * goal_value), 0) <> 0
  order by 1, 2, 3, 4, 5
  on conflict (workspace_id, automation_id, quarter, version, shard) do update set entered = q.entered + excluded.entered,
    goals = q.goals + excluded.goals, value = q.value + excluded.value;
  return null;
end $$;
create trigger count_made after insert on runs referencing new table as changed
  for each statement execute function count_runs();
create trigger count_gone after delete on runs referencing old table as changed
  for each statement execute function count_runs();
create trigger count_changed after update on runs referencing old table as before new table as after
  for each statement execute function count_changed_runs();

-- Runs that are there already, behind the lock that the triggers took. Ended ones are counted by the next migration.
insert into entry_quarters (workspace_id, automation_id, quarter, version, shard, entered, goals, value, held_out)
select workspace_id, automation_id, entry_quarter(entered_at), version, 0, count(*), count(goal_at), coalesce(sum(goal_value), 0), 0
from runs group by 1, 2, 3, 4;
