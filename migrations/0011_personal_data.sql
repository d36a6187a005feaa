-- What is known of persons who were erased and of contacts that were merged, and how far the work about them has come.

-- An alias as the journal knows it: enough to recognise it again, not to read it.
create function alias_hash(workspace bigint, kind text, alias text) returns bytea immutable parallel safe language sql
  return sha256(convert_to(workspace || ':' || kind || ':' || alias, 'UTF8'));

-- Whether an event's identifiers spell one of the aliases with these hashes.
create function has_alias(workspace bigint, subject_id text, email text, phone text, hashes bytea[]) returns boolean
  immutable parallel safe language sql
  return coalesce(alias_hash(workspace, 'subjectId', subject_id) = any (hashes), false)
    or coalesce(alias_hash(workspace, 'email', email) = any (hashes), false)
    or coalesce(alias_hash(workspace, 'phone', phone) = any (hashes), false);

-- The journal of erasures. It survives them, so that they can be done again on a restored backup.
create table erasures (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  contact_id bigint not null,
  -- The contact's id and those of contacts that were merged into it.
  contact_ids bigint[] not null check (contact_id = any (contact_ids)),
  alias_hashes bytea[] not null,
  -- The aliases themselves, for what can only be searched by its text; gone when the sweep is done.
  aliases jsonb,
  actor_kind text not null,
  actor_id text,
  -- pending: waits for its sweep. sweeping: the workspace's sweep works on it.
  state text not null default 'pending' check (state in ('pending', 'sweeping', 'done')),
  requested_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (workspace_id, id),
  constraint erasures_of_contact unique (workspace_id, contact_id),
  check ((state = 'done') = (finished_at is not null) and (state <> 'done' or aliases is null))
);
create index erasures_unfinished on erasures (workspace_id, id) where state <> 'done';
select postroom_guard('erasures');

-- Which contact became part of which. An event that names the old id in flight finds the contact by it.
create table contact_merges (
  workspace_id bigint not null,
  merged_id bigint not null,
  -- The contact it was merged into, and the one that contact is part of by now.
  into_id bigint not null,
  survivor_id bigint not null,
  -- Aliases that the survivor did not take over: an erasure of it must recognise them.
  alias_hashes bytea[] not null,
  actor_kind text not null,
  actor_id text,
  state text not null default 'pending' check (state in ('pending', 'sweeping', 'done')),
  merged_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (workspace_id, merged_id),
  foreign key (workspace_id, survivor_id) references contacts (workspace_id, id) on delete cascade,
  check ((state = 'done') = (finished_at is not null))
);
create index contact_merges_by_survivor on contact_merges (workspace_id, survivor_id, merged_at);
create index contact_merges_unfinished on contact_merges (workspace_id, merged_id) where state <> 'done';
select postroom_guard('contact_merges');

-- The sweep of a workspace that is under way: what it works up to, at which stage it is, and behind which row it goes on.
create table personal_data_sweeps (
  workspace_id bigint primary key references workspaces (id),
  fence_tx bigint not null,
  fence_position bigint not null,
  through_id bigint not null,
  stage text not null check (stage in ('log', 'events', 'loose', 'traces')),
  after_tx bigint not null default 0,
  after_position bigint not null default 0
);
select postroom_guard('personal_data_sweeps');

-- Removing a contact looks for its enrollments.
create index enrollments_by_contact on enrollments (workspace_id, contact_id);
