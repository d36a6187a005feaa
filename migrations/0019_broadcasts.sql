-- Broadcasts: what is sent, to whom, and how far its planning has come. What became of each message is in `messages`.

create table broadcasts (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  subject text not null default '' check (length(subject) <= 1000),
  from_name text check (length(from_name) between 1 and 200),
  from_email text check (length(from_email) between 3 and 320),
  -- MJML or HTML, with Liquid. Only a draft changes: what is sent is what stands here.
  body text not null default '' check (length(body) <= 200000),
  -- The plain text part; null: made of the body.
  text text check (length(text) <= 200000),
  integration_id bigint,
  -- Contacts of any of these segments; of none: every contact with an address. Whoever is in an excluded one is left out.
  segment_ids bigint[] not null default '{}',
  excluded_segment_ids bigint[] not null default '{}',
  status text not null default 'draft'
    check (status in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'canceled', 'failed')),
  -- When it starts by itself. With a local time: the moment at which that time comes to the first zone of the earth.
  scheduled_at timestamptz,
  local_time timestamp,
  -- The zone of contacts that have none of their own.
  local_time_zone text check (length(local_time_zone) between 1 and 64),
  -- Also the time of all its messages.
  started_at timestamptz,
  ended_at timestamptz,
  -- Why it failed before anybody was written to.
  failure text check (length(failure) <= 2000),
  stream_id bigint,
  -- How many the audience has; null until it is frozen. Counted by the freezing statement, not by the ledger, so that the
  -- two can be held against each other.
  recipients_total bigint,
  -- How many of them are in the ledger, and the chunk that comes next.
  planned_total bigint not null default 0,
  next_chunk integer not null default 0,
  -- When the last of them was.
  planned_at timestamptz,
  -- Messages that are to be sent again or taken for sent, and the last one looked at.
  redo text check (redo in ('retry_failed', 'retry_uncertain', 'accept_uncertain')),
  redo_after_id bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  check ((local_time is null) = (local_time_zone is null)),
  check (status <> 'scheduled' or scheduled_at is not null),
  check (status not in ('draft', 'scheduled') or started_at is null),
  check (status not in ('sending', 'paused', 'sent') or (started_at is not null and stream_id is not null)),
  check ((status in ('sent', 'canceled', 'failed')) = (ended_at is not null)),
  check (planned_total <= coalesce(recipients_total, 0)),
  check (planned_at is null or planned_total = recipients_total)
);
create index broadcasts_by_status on broadcasts (workspace_id, status, id);
select postroom_guard('broadcasts');
select postroom_count_rows('broadcasts');

-- The frozen audience, thousands of contacts a row, until they are in the ledger: frozen by one statement, and a planner
-- that died goes on with the next row.
create table broadcast_chunks (
  workspace_id bigint not null,
  broadcast_id bigint not null,
  number integer not null,
  -- When their messages are due; null: at once.
  due_at timestamptz,
  contact_ids bigint[] not null,
  primary key (workspace_id, broadcast_id, number),
  foreign key (workspace_id, broadcast_id) references broadcasts (workspace_id, id) on delete cascade
);
select postroom_guard('broadcast_chunks');
