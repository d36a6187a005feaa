create table webhook_endpoints (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  url text not null check (length(url) between 1 and 2048),
  -- Names to receive; empty means all.
  event_types text[] not null default '{}' check (cardinality(event_types) <= 200),
  enabled boolean not null default true,
  -- Why the system switched it off; null when its owner did. A pause by the owner collects deliveries, this does not.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  -- Sealed (platform/crypto). The previous one signs beside it until it runs out.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  check (disabled_reason is null or not enabled),
  check ((previous_secret is null) = (previous_secret_until is null))
);
select postroom_guard('webhook_endpoints');
select postroom_count_rows('webhook_endpoints');

-- The delivery lane of an endpoint: whether a turn of it is due, running or not needed, and how its receiver fares.
-- See server/modules/webhooks/lanes.ts for the protocol.
create table webhook_lanes (
  workspace_id bigint not null,
  endpoint_id bigint not null,
  state text not null default 'idle' check (state in ('idle', 'waiting', 'running')),
  -- The one job that may run the lane; any other finds itself superseded.
  job_id uuid,
  wake_at timestamptz,
  -- Counts turns. A result of an older turn changes nothing.
  turn bigint not null default 0,
  -- Since when nothing but failures came back; null after a success.
  failing_since timestamptz,
  warnings smallint not null default 0,
  primary key (workspace_id, endpoint_id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id) on delete cascade,
  check ((state = 'idle') = (job_id is null))
) with (fillfactor = 50, autovacuum_analyze_threshold = 2147483647);
select postroom_guard('webhook_lanes');

create sequence delivery_id;

-- One event for one endpoint: the bytes that every attempt signs and sends, and how it ended.
create table deliveries (
  workspace_id bigint not null,
  id bigint not null default nextval('delivery_id'),
  created_at timestamptz not null default now(),
  endpoint_id bigint not null,
  event_id bigint not null,
  event_type text not null,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'discarded')),
  finished_at timestamptz,
  primary key (workspace_id, id, created_at)
) partition by range (created_at);
create index deliveries_by_event on deliveries (workspace_id, endpoint_id, event_id, id);
select postroom_guard('deliveries');

-- What is still to be delivered: narrow rows, so that claiming and retrying never rewrite a body.
create table delivery_queue (
  workspace_id bigint not null,
  endpoint_id bigint not null,
  delivery_id bigint not null,
  delivery_created_at timestamptz not null,
  -- Attempts begun, the one under way included.
  attempt smallint not null default 0 check (attempt between 0 and 10),
  due_at timestamptz not null default now(),
  -- The lane's turn that has claimed it; null while it waits.
  turn bigint,
  claimed_at timestamptz,
  primary key (workspace_id, delivery_id)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.05,
  -- Never analysed: statistics taken when the queue was empty made the planner walk all of it for each row claimed later
  -- (4.6 s a claim against 3 ms). Without statistics it goes by the table's real size.
  autovacuum_analyze_threshold = 2147483647
);
create index delivery_queue_due on delivery_queue (workspace_id, endpoint_id, due_at, delivery_id);
select postroom_guard('delivery_queue');

-- The queue's foreign key to its lanes, checked once a statement: a check per row took 45 % of dispatching
-- (0.46 s of 1.0 s for 40,000 deliveries). An insert shares a lock on the lanes it names and fails if one is missing;
-- a lane that goes takes its rows with it, those of inserts that it waited for included.
create function require_delivery_lanes() returns trigger language plpgsql as $$
begin
  perform from (select distinct workspace_id, endpoint_id from added) named
  where not exists (
    select from webhook_lanes l
    where l.workspace_id = named.workspace_id and l.endpoint_id = named.endpoint_id for key share);
  if found then
    raise foreign_key_violation using message = 'a delivery names an endpoint that does not exist';
  end if;
  return null;
end $$;
create trigger require_lanes after insert on delivery_queue referencing new table as added
  for each statement execute function require_delivery_lanes();

create function drop_lane_deliveries() returns trigger language plpgsql as $$
begin
  delete from delivery_queue q using gone g where q.workspace_id = g.workspace_id and q.endpoint_id = g.endpoint_id;
  return null;
end $$;
create trigger drop_deliveries after delete on webhook_lanes referencing old table as gone
  for each statement execute function drop_lane_deliveries();

-- The log of attempts. 'lost': the process ended before an answer was recorded, so the receiver may have it.
create table delivery_attempts (
  workspace_id bigint not null,
  delivery_id bigint not null,
  started_at timestamptz not null,
  attempt smallint not null,
  outcome text not null check (outcome in ('delivered', 'failed', 'refused', 'lost')),
  status smallint,
  error text,
  duration_ms integer,
  response text,
  primary key (workspace_id, delivery_id, started_at)
) partition by range (started_at);
select postroom_guard('delivery_attempts');
