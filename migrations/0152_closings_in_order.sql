-- keeps 0148
-- Closings of an entry are in the order in which they were, one behind the other: the log becomes empty where nothing happens for weeks, and
-- its last transaction is of no help then, and a clock may be put back. So the last one that began before an event or a moment says it all.
create or replace function note_entry_closing() returns trigger language plpgsql as $$
declare
  before_tx bigint;
  before_at timestamptz;
  log_end bigint;
  now_at timestamptz;
begin
  select coalesce(to_tx, from_tx), coalesce(to_at, from_at) into before_tx, before_at from automation_closings
    where workspace_id = new.workspace_id and automation_id = new.id order by from_tx desc, to_tx desc limit 1;
  log_end := greatest(before_tx, (select max(tx) from outbox), 0);
  now_at := greatest(before_at, postroom_clock());
  if new.entry_open then
    -- One that was never open before has the moments of its first people from whoever opens it.
    update automation_closings set to_tx = log_end, to_at = case when from_at = '-infinity' then from_at else now_at end
    where workspace_id = new.workspace_id and automation_id = new.id and to_tx is null;
  else
    insert into automation_closings (workspace_id, automation_id, from_tx, from_at) values (
      new.workspace_id, new.id, case when tg_op = 'INSERT' then 0 else log_end end,
      case when tg_op = 'INSERT' then '-infinity' else now_at end);
  end if;
  return null;
end $$;
