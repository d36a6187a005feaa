-- Sending: the ledger of messages, what of it is still to be sent, and who works on it.

-- How a workspace sends; no row is the defaults.
create table sending_settings (
  workspace_id bigint primary key references workspaces (id),
  -- Marketing mail goes only to contacts that are known to have agreed (contact_consents).
  double_opt_in boolean not null default false,
  track_opens boolean not null default true,
  track_clicks boolean not null default true,
  -- Where the sender can be reached by post, as the law of many countries asks for in marketing mail.
  postal_address text check (length(postal_address) between 1 and 500),
  updated_at timestamptz not null default now()
);
select postroom_guard('sending_settings');

-- Who wants no more of what. Kept by address, so that it outlives the contact; `everything` covers all but transactional mail.
create table unsubscribes (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  destination text not null check (length(destination) between 3 and 320),
  sending_source text not null check (sending_source in ('broadcasts', 'everything') or sending_source ~ '^automation:[0-9]{1,19}$'),
  -- The message whose link was used, if one was.
  message_id bigint,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, destination, sending_source)
);
select postroom_guard('unsubscribes');
select postroom_count_rows('unsubscribes');

create sequence message_id;

-- The ledger: one narrow row for each message to one person, whatever becomes of it. Written when the message comes into
-- being and when its fate is known; what happens in between is in message_queue.
create table messages (
  workspace_id bigint not null,
  id bigint not null default nextval('message_id'),
  -- All messages of a broadcast have its start, so that "once a contact" is one key across partitions.
  created_at timestamptz not null default now(),
  surface text not null check (surface in ('broadcast', 'transactional', 'confirmation', 'test')),
  -- Of broadcasts only: a test of one is nobody's place in it.
  broadcast_id bigint check ((broadcast_id is null) = (surface <> 'broadcast')),
  contact_id bigint,
  -- Normalised address. Empty after an erasure.
  destination text not null,
  state text not null default 'pending'
    check (state in ('pending', 'accepted', 'failed', 'suppressed', 'skipped', 'uncertain')),
  -- Why, for every state but pending and accepted (modules/sending/message-states.ts).
  reason text check ((reason is null) or state <> 'pending'),
  attempts smallint not null default 0,
  settled_at timestamptz,
  integration_id bigint,
  provider text check (provider in ('smtp', 'ses')),
  sending_domain text,
  provider_message_id text,
  -- The last reply: `250 2.0.0 …`, at most 500 characters.
  reply text,
  -- What came back, each the first time. Opened and clicked by people; what machines did is in message_hits.
  opened_at timestamptz,
  clicked_at timestamptz,
  unsubscribed_at timestamptz,
  bounced_at timestamptz,
  complained_at timestamptz,
  primary key (workspace_id, id, created_at),
  -- Null broadcasts differ from each other: this is also how a contact's messages are found.
  constraint messages_once unique (workspace_id, contact_id, broadcast_id, created_at)
) partition by range (created_at);
-- Not one column that changes is in an index: settling a message rewrites no index entry.
create index messages_of_broadcast on messages (workspace_id, broadcast_id, id) where broadcast_id is not null;
create index messages_by_destination on messages (workspace_id, destination, id) where broadcast_id is null;
select postroom_guard('messages');

-- Exact totals of a broadcast at any moment, kept with the rows by the triggers below; a reader sums a few rows.
-- `kind` is `state` or `state:reason`, or what came back: opened, clicked, unsubscribed, bounced, complained.
create table message_totals (
  workspace_id bigint not null,
  broadcast_id bigint not null,
  kind text not null,
  shard smallint not null,
  total bigint not null,
  primary key (workspace_id, broadcast_id, kind, shard)
) with (fillfactor = 50);
select postroom_guard('message_totals');

create function count_added_messages() returns trigger language plpgsql as $$
begin
  insert into message_totals as t (workspace_id, broadcast_id, kind, shard, total)
  select workspace_id, broadcast_id, kind, pg_backend_pid() % 8, sum(n) from (
    select workspace_id, broadcast_id, state || coalesce(':' || reason, '') as kind, count(*) as n
    from added where broadcast_id is not null group by 1, 2, 3) counted
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (workspace_id, broadcast_id, kind, shard) do update set total = t.total + excluded.total;
  return null;
end $$;

create function count_changed_messages() returns trigger language plpgsql as $$
begin
  insert into message_totals as t (workspace_id, broadcast_id, kind, shard, total)
  select workspace_id, broadcast_id, kind, pg_backend_pid() % 8, sum(n) from (
    select workspace_id, broadcast_id, unnest(array[state || coalesce(':' || reason, ''),
      case when opened_at is not null then 'opened' end, case when clicked_at is not null then 'clicked' end,
      case when unsubscribed_at is not null then 'unsubscribed' end, case when bounced_at is not null then 'bounced' end,
      case when complained_at is not null then 'complained' end]) as kind, -1 as n
    from before where broadcast_id is not null
    union all
    select workspace_id, broadcast_id, unnest(array[state || coalesce(':' || reason, ''),
      case when opened_at is not null then 'opened' end, case when clicked_at is not null then 'clicked' end,
      case when unsubscribed_at is not null then 'unsubscribed' end, case when bounced_at is not null then 'bounced' end,
      case when complained_at is not null then 'complained' end]) as kind, 1 as n
    from after where broadcast_id is not null) counted
  where kind is not null
  group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
  on conflict (workspace_id, broadcast_id, kind, shard) do update set total = t.total + excluded.total;
  return null;
end $$;

create trigger count_added after insert on messages referencing new table as added
  for each statement execute function count_added_messages();
create trigger count_changed after update on messages referencing old table as before new table as after
  for each statement execute function count_changed_messages();

-- What is queued together: a broadcast, or all the transactional mail of a workspace (source_id null).
create table send_streams (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  surface text not null check (surface in ('broadcast', 'transactional')),
  source_id bigint check ((source_id is null) = (surface = 'transactional')),
  state text not null default 'open' check (state in ('open', 'paused', 'canceled')),
  -- Why its messages wait although it is open: no_integration, unverified_domain, credentials_refused ... Null while they go.
  hold_reason text,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint send_streams_one unique nulls not distinct (workspace_id, surface, source_id)
) with (fillfactor = 50);
select postroom_guard('send_streams');

-- The places from which a stream is worked on: one job each, so that several processes can share a stream. The protocol is
-- that of webhook lanes (modules/sending/lanes.ts).
create table send_lanes (
  workspace_id bigint not null,
  stream_id bigint not null,
  slot smallint not null,
  state text not null default 'idle' check (state in ('idle', 'waiting', 'running')),
  job_id uuid,
  wake_at timestamptz,
  turn bigint not null default 0,
  primary key (workspace_id, stream_id, slot),
  foreign key (workspace_id, stream_id) references send_streams (workspace_id, id) on delete cascade,
  check ((state = 'idle') = (job_id is null))
) with (fillfactor = 50, autovacuum_analyze_threshold = 2147483647);
select postroom_guard('send_lanes');

-- What is still to be sent: narrow rows, so that claiming, retrying and handing over never touch the ledger.
create table message_queue (
  workspace_id bigint not null,
  stream_id bigint not null,
  message_id bigint not null,
  message_created_at timestamptz not null,
  due_at timestamptz not null default now(),
  -- Until when it is tried.
  expires_at timestamptz not null,
  -- Attempts that failed for a reason of the message's or its receiver's; throttling counts none.
  attempt smallint not null default 0,
  -- Who has it; null while it waits.
  slot smallint,
  turn bigint,
  integration_id bigint,
  -- Committed before the end of the content can reach the server: from then on nobody can know without an answer.
  handing_at timestamptz,
  primary key (workspace_id, message_id),
  check ((turn is null) = (slot is null)),
  check (handing_at is null or turn is not null)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.05,
  -- Never analysed, as delivery_queue.
  autovacuum_analyze_threshold = 2147483647
);
create index message_queue_due on message_queue (workspace_id, stream_id, due_at, message_id) where turn is null;
create index message_queue_claimed on message_queue (workspace_id, stream_id, slot) where turn is not null;
select postroom_guard('message_queue');

-- Attempts that did not end with a message accepted, and what the server said.
create table message_attempts (
  workspace_id bigint not null,
  message_id bigint not null,
  at timestamptz not null default now(),
  attempt smallint not null,
  -- deferred, throttled, failed, uncertain, lost, withdrawn
  outcome text not null,
  -- The class of the reply (platform/mail/classify-reply.ts), or what broke.
  cause text not null,
  reply text,
  integration_id bigint,
  primary key (workspace_id, message_id, at)
) partition by range (at);
select postroom_guard('message_attempts');
