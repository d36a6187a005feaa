-- What must survive a restore: erasures, and who wants no mail. One process of each start reads it from here into a file.
create table journal_entries (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  -- As in the log: rows are read in the order (tx, id) below the oldest open transaction.
  tx bigint not null default outbox_tx(),
  at timestamptz not null default now(),
  kind text not null check (kind in ('unsubscribe', 'suppression', 'erasure')),
  -- The row that it is about; what the row says is read from it, so that no address stands here.
  row_id bigint not null,
  -- Taken back.
  gone boolean not null,
  primary key (workspace_id, id)
);
create index journal_entries_in_order on journal_entries (tx, id);
create index journal_entries_by_age on journal_entries (at);
select postroom_guard('journal_entries');

-- By triggers, so that no way to these tables can forget it.
create function note_in_journal() returns trigger language plpgsql as $$
begin
  insert into journal_entries (workspace_id, kind, row_id, gone)
  select workspace_id, tg_argv[0], id, tg_op = 'DELETE' from changed order by id;
  return null;
end $$;

create trigger note_added after insert on unsubscribes referencing new table as changed
  for each statement execute function note_in_journal('unsubscribe');
create trigger note_gone after delete on unsubscribes referencing old table as changed
  for each statement execute function note_in_journal('unsubscribe');
create trigger note_added after insert on suppressions referencing new table as changed
  for each statement execute function note_in_journal('suppression');
create trigger note_gone after delete on suppressions referencing old table as changed
  for each statement execute function note_in_journal('suppression');
create trigger note_added after insert on erasures referencing new table as changed
  for each statement execute function note_in_journal('erasure');

-- The epoch whose restored database has what the journals know.
alter table installation add column reapplied_epoch uuid;
