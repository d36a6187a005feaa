-- The outbox: an append-only log of every domain event, read by consumer groups in the order (tx, position).
-- See server/platform/outbox/consumer.ts for the protocol.

-- The writer's transaction id, and the first id that may still be open. Both add the same offset, 0 until a dump is
-- restored into a new cluster, whose ids start low again: re-basing then replaces the constant in both functions
-- (server/platform/outbox/rebase.ts), so that old cursors stay valid and new rows sort behind the old ones.
create function outbox_tx() returns bigint stable language sql
  return pg_current_xact_id()::text::bigint + 0;
create function outbox_horizon() returns bigint stable language sql
  return pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 0;

create table outbox_cluster (
  only_row boolean primary key default true check (only_row),
  system_identifier bigint not null,
  tx_offset bigint not null
);
insert into outbox_cluster (system_identifier, tx_offset) select system_identifier, 0 from pg_control_system();

create sequence outbox_position;

-- A system table without row-level security: only intake writes it and only consumers read it, each across workspaces.
create table outbox (
  tx bigint not null default outbox_tx(),
  position bigint not null default nextval('outbox_position'),
  recorded_at timestamptz not null default now(),
  workspace_id bigint not null,
  -- The system's own word for what happened; 'event.recorded' for everything that came in through an intake.
  type text not null,
  -- The name it is delivered under: the caller's action for recorded events, else the type.
  name text not null,
  subject text not null,
  contact_id bigint,
  subject_id text,
  email text,
  phone text,
  -- Recorded events: the caller's properties. Own events: the delivered data.
  data json not null,
  occurred_at timestamptz not null
) partition by range (recorded_at);
create index outbox_order on outbox (tx, position);

create table outbox_cursors (
  consumer_group text primary key,
  tx bigint not null,
  position bigint not null
) with (fillfactor = 50);

-- Rows a group could not handle. The outbox keeps their partition until they are replayed.
create table outbox_parked (
  consumer_group text not null,
  tx bigint not null,
  position bigint not null,
  recorded_at timestamptz not null,
  workspace_id bigint not null,
  error text not null,
  attempts integer not null,
  parked_at timestamptz not null default now(),
  primary key (consumer_group, position)
);

-- What persist_event keeps: every event of a workspace. id is the event's position in the outbox.
create table events (
  workspace_id bigint not null,
  id bigint not null,
  recorded_at timestamptz not null,
  type text not null,
  name text not null,
  subject text not null,
  contact_id bigint,
  subject_id text,
  email text,
  phone text,
  data jsonb not null,
  occurred_at timestamptz not null,
  primary key (workspace_id, id, recorded_at)
) partition by range (recorded_at);
create index events_by_contact on events (workspace_id, contact_id, id) where contact_id is not null;
select postroom_guard('events');

-- Ids given by callers, so that a repeated request records nothing twice.
create table event_client_ids (
  workspace_id bigint not null references workspaces (id),
  client_id text not null check (length(client_id) between 1 and 64),
  recorded_at timestamptz not null default now(),
  primary key (workspace_id, client_id)
);
create index event_client_ids_by_age on event_client_ids using brin (recorded_at);
select postroom_guard('event_client_ids');

-- What update_suppression keeps: addresses that must not be mailed.
create table suppressions (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  destination text not null,
  reason text not null check (reason in ('bounce', 'complaint', 'manual')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, destination)
);
select postroom_guard('suppressions');

-- What enroll_automations needs: the active automations by trigger, and who is in which.
create table automations (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  status text not null default 'draft' check (status in ('draft', 'active')),
  trigger_event text not null check (length(trigger_event) between 1 and 200),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
create index automations_by_trigger on automations (workspace_id, trigger_event) where status = 'active';
select postroom_guard('automations');

create table enrollments (
  workspace_id bigint not null,
  automation_id bigint not null,
  contact_id bigint not null,
  event_id bigint not null,
  state text not null default 'active' check (state in ('active', 'completed', 'failed', 'exited')),
  enrolled_at timestamptz not null default now(),
  primary key (workspace_id, automation_id, contact_id),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade,
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
select postroom_guard('enrollments');
