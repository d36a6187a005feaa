-- Segments: named rules about contacts, evaluated whenever somebody asks.

create table segments (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  -- The rule group as the caller wrote it, to the character.
  definition text not null check (length(definition) <= 65536),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
create unique index segments_name_taken on segments (workspace_id, lower(name));
select postroom_guard('segments');
select postroom_count_rows('segments');

-- Which segments a definition refers to: none of them can be deleted.
create table segment_uses (
  workspace_id bigint not null,
  segment_id bigint not null,
  used_id bigint not null,
  primary key (workspace_id, segment_id, used_id),
  foreign key (workspace_id, segment_id) references segments (workspace_id, id) on delete cascade,
  constraint segment_is_used foreign key (workspace_id, used_id) references segments (workspace_id, id)
);
create index segment_uses_by_used on segment_uses (workspace_id, used_id, segment_id);
select postroom_guard('segment_uses');

-- Who did something, and when, without a look at the events themselves. Events arrive about in the order of their time,
-- so that each name's entries go to the same few pages.
create index events_by_name on events (workspace_id, name, occurred_at) include (contact_id)
  where contact_id is not null;
