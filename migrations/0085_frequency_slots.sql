-- keeps 0080
-- Places that a person has for marketing mail, as many as the workspace allows within its days. A place is free again when the
-- days are over, or when its message came to nothing, so no window of that length ever has more.
create table frequency_slots (
  workspace_id bigint not null,
  contact_id bigint not null,
  slot smallint not null check (slot > 0),
  message_id bigint not null,
  message_created_at timestamptz not null,
  taken_at timestamptz not null,
  primary key (workspace_id, contact_id, slot),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
) with (fillfactor = 70);
select postroom_guard('frequency_slots');
