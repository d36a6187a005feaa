-- Automations: what they are (drafts and versions), who came in, who is where, and what became of everybody (ADR 15).

drop table enrollments;
drop index automations_by_trigger;
-- Nobody could make one but by hand in the database, and none of them had a step.
delete from automations;
alter table automations
  drop column status,
  drop column trigger_event,
  -- The canonical JSON that is edited, and the linear form it was written in, if it was.
  add column draft text not null check (length(draft) <= 400000),
  add column steps text,
  -- What the draft refers to: none of them can be deleted.
  add column segment_ids bigint[] not null default '{}',
  -- The version in force; null before the first.
  add column published_version integer,
  add column draft_changed boolean not null default true,
  -- Whether anybody may come in, and whether those inside go on.
  add column entry_open boolean not null default false,
  add column paused_at timestamptz,
  add column stopped_at timestamptz,
  -- Deleted: nobody sees it any more. Its runs have ended, their traces stay as long as others do.
  add column deleted_at timestamptz,
  add column status text not null generated always as (case
    when stopped_at is not null then 'stopped'
    when paused_at is not null then 'paused'
    when published_version is null then 'draft'
    when entry_open then 'active'
    else 'closed' end) stored,
  add check (published_version is not null or not entry_open and paused_at is null),
  add check (stopped_at is null or not entry_open),
  add check (deleted_at is null or stopped_at is not null);
create index automations_listed on automations (workspace_id, id) where deleted_at is null;

-- What was published. Never changed: whoever came in by a version may stay in it.
create table automation_versions (
  workspace_id bigint not null,
  automation_id bigint not null,
  version integer not null check (version > 0),
  definition text not null check (length(definition) <= 400000),
  segment_ids bigint[] not null default '{}',
  published_at timestamptz not null default now(),
  primary key (workspace_id, automation_id, version),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
select postroom_guard('automation_versions');

-- The events that versions listen to: those that bring people in, end their runs, count as their goal or end a wait.
-- `way` is the place in the version's list of triggers, exits or ways of the node.
create table automation_listens (
  workspace_id bigint not null,
  name text not null,
  automation_id bigint not null,
  version integer not null,
  kind text not null check (kind in ('entry', 'exit', 'goal', 'wait')),
  node text not null default '',
  way smallint not null,
  -- Properties of the event that must be those of the trigger: {"property": "trigger's property"}.
  match jsonb,
  -- It has a filter, which only the version knows.
  filtered boolean not null,
  primary key (workspace_id, name, automation_id, version, kind, node, way),
  foreign key (workspace_id, automation_id, version) references automation_versions (workspace_id, automation_id, version)
    on delete cascade
);
select postroom_guard('automation_listens');

-- Who has ever come in by which key, or was refused: one row each, whatever happens at once.
create table enrollments (
  workspace_id bigint not null,
  automation_id bigint not null,
  contact_id bigint not null,
  -- The value of the property that tells a contact's entries apart: a cart, a booking. '' where there is none.
  entry_key text not null check (length(entry_key) <= 200),
  entries integer not null default 0,
  -- The logical time of the last entry, and its run.
  entered_at timestamptz,
  run_id bigint,
  refusals integer not null default 0,
  refused_at timestamptz,
  refused_event_id bigint,
  refusal text check (refusal in ('filter', 'rule', 'mode', 'closed', 'limit', 'loop', 'key')),
  primary key (workspace_id, automation_id, contact_id, entry_key),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
create index enrollments_by_contact on enrollments (workspace_id, contact_id);
select postroom_guard('enrollments');

create sequence run_id;

-- People inside, one row a run. None of the columns that a step changes is in an index.
create table runs (
  workspace_id bigint not null,
  id bigint not null default nextval('run_id'),
  automation_id bigint not null,
  version integer not null,
  contact_id bigint not null,
  entry_key text not null,
  -- By the clock of the wall: everything of a run is in the partition of its beginning.
  created_at timestamptz not null default now(),
  -- By its own clock: of the event that brought it in.
  entered_at timestamptz not null,
  -- That event, null for one made by hand.
  event_id bigint,
  event_at timestamptz,
  -- How many automations have led to each other before it.
  depth smallint not null,
  node text not null,
  visit integer not null,
  -- ready: the node is to be done. waiting: it holds the run. parked: it failed too often.
  state text not null check (state in ('ready', 'waiting', 'parked')),
  -- The run's own clock, a pair: the moment, and the position of the event that set it. A timer comes after all events
  -- of its moment: 2^63 - 1.
  at timestamptz not null,
  at_position bigint not null,
  attempts smallint not null default 0,
  error text,
  goal_at timestamptz,
  goal_value numeric,
  primary key (workspace_id, id),
  foreign key (workspace_id, automation_id, version) references automation_versions (workspace_id, automation_id, version)
) with (fillfactor = 60);
create index runs_of_contact on runs (workspace_id, contact_id, automation_id);
select postroom_guard('runs');

-- What waits for a turn: the timer of each run, what happened that concerns one, and who wants to come in. In the order
-- of their own time, so that a late worker decides as a punctual one would have.
create table run_queue (
  workspace_id bigint not null,
  automation_id bigint not null,
  -- Of the contact, so that all that is of one contact is done by one lane.
  slot smallint not null,
  contact_id bigint not null,
  -- 0 for an entry.
  run_id bigint not null,
  kind text not null check (kind in ('entry', 'timer', 'exit', 'goal', 'wait')),
  -- Of the event; 2^63 - 1 for a timer.
  position bigint not null,
  visit integer not null default 0,
  -- When it is due by its own time: an event's moment, a timer's end.
  due_at timestamptz not null,
  -- Of a timer: the run has begun to listen and has to look for what came before.
  looks boolean not null default false,
  -- Of an event: the version and the place that listen to it, and how many automations led to it.
  version integer not null default 0,
  way smallint not null default 0,
  depth smallint not null default 0,
  -- For the machine of lanes, which would mark claims: here a claim and all its effects are one transaction.
  turn bigint check (turn is null),
  primary key (workspace_id, automation_id, contact_id, run_id, kind, position, visit),
  check ((kind = 'entry') = (run_id = 0))
) with (
  autovacuum_vacuum_scale_factor = 0.05,
  -- Never analysed, as all queues (ADR 5).
  autovacuum_analyze_threshold = 2147483647
);
create index run_queue_due on run_queue (workspace_id, automation_id, slot, due_at, position);
select postroom_guard('run_queue');

create table automation_lanes (
  workspace_id bigint not null,
  automation_id bigint not null,
  slot smallint not null,
  state text not null default 'idle' check (state in ('idle', 'waiting', 'running')),
  job_id uuid,
  wake_at timestamptz,
  turn bigint not null default 0,
  primary key (workspace_id, automation_id, slot),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade,
  check ((state = 'idle') = (job_id is null))
) with (fillfactor = 50, autovacuum_analyze_threshold = 2147483647);
select postroom_guard('automation_lanes');

-- The trace: a row for each node that a run has left, and visit 0 for how it came in. Its key is the wall against doing
-- anything twice. Of an erased person it says where the run went, and nothing of whom.
create table run_steps (
  workspace_id bigint not null,
  run_id bigint not null,
  visit integer not null,
  -- The run's.
  created_at timestamptz not null,
  automation_id bigint not null,
  version integer not null,
  -- '' for the entry.
  node text not null,
  -- The way it left by, or how it ended there.
  way text not null,
  -- The next one, in its version; null at the end.
  next_node text,
  next_version integer,
  -- By the run's clock: when it came there, and when it left.
  came_at timestamptz not null,
  left_at timestamptz not null,
  done_at timestamptz not null default now(),
  event_id bigint,
  -- What decided: the values it saw.
  seen jsonb,
  primary key (workspace_id, run_id, visit, created_at)
) partition by range (created_at);
select postroom_guard('run_steps');

create table ended_runs (
  workspace_id bigint not null,
  id bigint not null,
  created_at timestamptz not null,
  automation_id bigint not null,
  version integer not null,
  -- Null after an erasure.
  contact_id bigint,
  entry_key text not null,
  entered_at timestamptz not null,
  event_id bigint,
  event_at timestamptz,
  state text not null check (state in ('completed', 'exited', 'held_out', 'failed', 'erased')),
  reason text,
  node text not null,
  visit integer not null,
  -- By the run's clock, and by the wall's.
  ended_at timestamptz not null,
  settled_at timestamptz not null default now(),
  goal_at timestamptz,
  goal_value numeric,
  primary key (workspace_id, id, created_at)
) partition by range (created_at);
create index ended_runs_of_contact on ended_runs (workspace_id, contact_id, id);
create index ended_runs_of_automation on ended_runs (workspace_id, automation_id, id);
select postroom_guard('ended_runs');

-- The mails of runs: which message is of which visit. Partitioned as the ledger is, so that a message's row is found by
-- its own id and time.
create table run_messages (
  workspace_id bigint not null,
  message_id bigint not null,
  created_at timestamptz not null,
  run_id bigint not null,
  visit integer not null,
  automation_id bigint not null,
  version integer not null,
  node text not null,
  event_id bigint,
  event_at timestamptz,
  primary key (workspace_id, message_id, created_at)
) partition by range (created_at);
create index run_messages_of_run on run_messages (workspace_id, run_id);
select postroom_guard('run_messages');

-- Sums at every moment: who entered a node, left it by which way, ended there and how. Kept by the trigger on the trace,
-- so that no statement can move a run and forget them. `refused:<reason>` of node '' counts who did not come in.
create table node_totals (
  workspace_id bigint not null,
  automation_id bigint not null,
  version integer not null,
  node text not null,
  kind text not null,
  shard smallint not null,
  total bigint not null,
  primary key (workspace_id, automation_id, version, node, kind, shard)
) with (fillfactor = 50);
select postroom_guard('node_totals');

create function count_run_steps() returns trigger language plpgsql as $$
begin
  insert into node_totals as t (workspace_id, automation_id, version, node, kind, shard, total)
  select workspace_id, automation_id, version, node, kind, pg_backend_pid() % 8, sum(n) from (
    select workspace_id, automation_id, version, node,
      case when next_node is null then 'ended:' else 'left:' end || way as kind, count(*) as n
    from added group by 1, 2, 3, 4, 5
    union all
    select workspace_id, automation_id, next_version, next_node, 'entered', count(*)
    from added where next_node is not null group by 1, 2, 3, 4
  ) counted group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (workspace_id, automation_id, version, node, kind, shard) do update set total = t.total + excluded.total;
  return null;
end $$;
create trigger count_added after insert on run_steps referencing new table as added
  for each statement execute function count_run_steps();

-- How far the log's numbers had come at a moment: from a time to a position, for looks into a contact's events.
create table log_ticks (
  at timestamptz primary key,
  position bigint not null
);

-- The one clock of automations: the database's, or the one that a test has set for its connection.
create function postroom_clock() returns timestamptz volatile language sql
  return coalesce(nullif(current_setting('postroom.clock', true), '')::timestamptz, statement_timestamp());
