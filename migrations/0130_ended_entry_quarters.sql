-- keeps 0119
-- The same of runs that have ended. A run that ends is taken from the live ones and added here by one statement, so its sums stay.
-- Runs that ended since the last migration were taken out and not added: they are counted here with all others.
create function count_ended_runs() returns trigger language plpgsql as $$
begin
  insert into entry_quarters as q (workspace_id, automation_id, quarter, version, shard, entered, goals, value, held_out)
  select workspace_id, automation_id, entry_quarter(entered_at), version, coalesce(contact_id, 0) % 2 + 1,
    count(*) filter (where state <> 'held_out'), count(goal_at) filter (where state <> 'held_out'),
    coalesce(sum(goal_value) filter (where state <> 'held_out'), 0), count(*) filter (where state = 'held_out')
  from added group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (workspace_id, automation_id, quarter, version, shard) do update set entered = q.entered + excluded.entered,
    goals = q.goals + excluded.goals, value = q.value + excluded.value, held_out = q.held_out + excluded.held_out;
  return null;
end $$;
create trigger count_ended after insert on ended_runs referencing new table as added
  for each statement execute function count_ended_runs();

-- Two seconds for a million, behind the lock that the trigger took.
insert into entry_quarters as q (workspace_id, automation_id, quarter, version, shard, entered, goals, value, held_out)
select workspace_id, automation_id, entry_quarter(entered_at), version, 0, count(*) filter (where state <> 'held_out'),
  count(goal_at) filter (where state <> 'held_out'), coalesce(sum(goal_value) filter (where state <> 'held_out'), 0),
  count(*) filter (where state = 'held_out')
from ended_runs group by 1, 2, 3, 4
on conflict (workspace_id, automation_id, quarter, version, shard) do update set entered = q.entered + excluded.entered,
  goals = q.goals + excluded.goals, value = q.value + excluded.value, held_out = q.held_out + excluded.held_out;

-- Entries that the trace has counted, and whose runs are gone with their months.
insert into entry_quarters (workspace_id, automation_id, quarter, version, shard, entered, goals, value, held_out)
select workspace_id, automation_id, '-infinity', 0, 0, told.entered - coalesce(kept.entered, 0), 0, 0,
  told.held_out - coalesce(kept.held_out, 0)
from (
  select workspace_id, automation_id, coalesce(sum(total) filter (where kind <> 'ended:held_out'), 0) as entered,
    coalesce(sum(total) filter (where kind = 'ended:held_out'), 0) as held_out
  from node_totals where node = '' and kind not like 'refused:%' group by 1, 2
) told left join (
  select workspace_id, automation_id, sum(entered) as entered, sum(held_out) as held_out from entry_quarters group by 1, 2
) kept using (workspace_id, automation_id)
where (told.entered, told.held_out) <> (coalesce(kept.entered, 0), coalesce(kept.held_out, 0));
