-- What comes back of mail: bounces and complaints, where they are taken in, and why an address is on the list.

alter table suppressions
  -- The message whose bounce or complaint it was, if that is known.
  add column message_id bigint,
  -- What the receiver said: `5.1.1 … User unknown`.
  add column detail text check (length(detail) between 1 and 500);
create index suppressions_by_reason on suppressions (workspace_id, reason, id);
create index suppressions_by_age on suppressions (workspace_id, created_at, id);
insert into row_counts (workspace_id, relation, shard, total)
  select workspace_id, 'suppressions', 0, count(*) from suppressions group by workspace_id
  on conflict do nothing;
select postroom_count_rows('suppressions');

-- Each bounce and complaint that was believed, once.
create table feedback_reports (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  -- What makes a repeat of it the same: where it came from, and its id there.
  key text not null check (length(key) between 1 and 400),
  source text not null check (source in ('mail', 'ses', 'hook')),
  kind text not null check (kind in ('bounce', 'complaint')),
  -- Of bounces: `unsure` is permanent when it is told again days later (a mailbox that is closed, 5.2.1).
  cause text check (cause in ('permanent', 'transient', 'unsure')),
  destination text not null check (length(destination) between 3 and 320),
  message_id bigint,
  detail text,
  received_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, key),
  check ((cause is null) = (kind = 'complaint'))
);
create index feedback_reports_by_destination on feedback_reports (workspace_id, destination, received_at);
create index feedback_reports_by_message on feedback_reports (workspace_id, message_id) where message_id is not null;
create index feedback_reports_by_age on feedback_reports using brin (received_at);
select postroom_guard('feedback_reports');

-- Where a workspace takes in what others tell of its mail: /hooks/{key}/…
create table feedback_hooks (
  workspace_id bigint primary key references workspaces (id),
  -- Sealed; the hash is compared with what a caller gives. The key before a rotation stays good for a while.
  key text not null,
  key_hash bytea not null check (length(key_hash) = 32),
  previous_key_hash bytea check (length(previous_key_hash) = 32),
  -- Of Standard Webhooks, sealed; signs what comes to /hooks/{key}/events.
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  -- The topics of Amazon SNS that are believed.
  ses_topics text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((previous_key_hash is null) = (previous_until is null) and (previous_secret is null) = (previous_until is null))
);
select postroom_guard('feedback_hooks');
