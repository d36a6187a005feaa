-- keeps 0148
-- Times at which the entry of an automation was closed: from one transaction of the log, and one moment, to another. What had happened
-- before still brings its person in, however late it is read or done, and what happens meanwhile does not, although the entry is open by then.
create table automation_closings (
  workspace_id bigint not null,
  automation_id bigint not null,
  -- The last transaction of the log when it closed, and when it opened again. Null: it is closed now.
  from_tx bigint not null,
  to_tx bigint check (to_tx >= from_tx),
  from_at timestamptz not null,
  to_at timestamptz check ((to_at is null) = (to_tx is null)),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
create index automation_closings_by_automation on automation_closings (workspace_id, automation_id, from_tx);
create unique index automation_closings_now on automation_closings (workspace_id, automation_id) where to_tx is null;
select postroom_guard('automation_closings');

-- Closed ever since: of those of before nobody knows when they were.
insert into automation_closings (workspace_id, automation_id, from_tx, from_at)
select workspace_id, id, 0, '-infinity' from automations where not entry_open;

-- A trigger, so that no way to open or close an entry is without it, nor a process from before this migration.
create function note_entry_closing() returns trigger language plpgsql as $$
declare
  log_end constant bigint := (select coalesce(max(tx), 0) from outbox);
begin
  if new.entry_open then
    -- One that was never open before has the moments of its first people from whoever opens it.
    update automation_closings set to_tx = log_end,
      to_at = case when from_at = '-infinity' then from_at else greatest(from_at, postroom_clock()) end
    where workspace_id = new.workspace_id and automation_id = new.id and to_tx is null;
  else
    insert into automation_closings (workspace_id, automation_id, from_tx, from_at) values (
      new.workspace_id, new.id, case when tg_op = 'INSERT' then 0 else log_end end,
      case when tg_op = 'INSERT' then '-infinity' else postroom_clock() end);
  end if;
  return null;
end $$;
create trigger note_beginning_closed after insert on automations for each row when (not new.entry_open) execute function note_entry_closing();
create trigger note_entry_closing after update of entry_open on automations for each row
  when (old.entry_open <> new.entry_open) execute function note_entry_closing();
