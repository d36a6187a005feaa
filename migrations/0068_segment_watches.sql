-- keeps 0067
-- Segments whose comings and goings automations listen to; of others nobody keeps who is in them (ADR 8).
create table segment_watches (
  workspace_id bigint not null,
  segment_id bigint not null,
  -- Hash of the rules that its members are kept by; null before all who were in it at the beginning are known.
  rules text,
  -- The moment as of which its members are kept.
  checked_at timestamptz,
  next_check_at timestamptz not null default now(),
  -- Why nobody can tell who is in it, as after a field got another type.
  error text,
  primary key (workspace_id, segment_id),
  foreign key (workspace_id, segment_id) references segments (workspace_id, id) on delete cascade
);
create index segment_watches_due on segment_watches (next_check_at);
select postroom_guard('segment_watches');

create table segment_members (
  workspace_id bigint not null,
  segment_id bigint not null,
  contact_id bigint not null,
  primary key (workspace_id, segment_id, contact_id),
  foreign key (workspace_id, segment_id) references segment_watches (workspace_id, segment_id) on delete cascade,
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index segment_members_of_contact on segment_members (workspace_id, contact_id);
select postroom_guard('segment_members');
