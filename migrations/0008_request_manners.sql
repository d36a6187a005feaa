-- What is known of requests with an Idempotency-Key, for 24 hours. `id` is the same for every repeat of a request and `claim` is
-- new whenever a process takes the request on, so that one that was given up for dead can no longer change anything.

create table idempotency_keys (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  -- Over the actor and the key it chose: a key is its own, and may be anything.
  key_hash bytea not null check (length(key_hash) = 32),
  id uuid not null default gen_random_uuid(),
  fingerprint bytea not null check (length(fingerprint) = 32),
  claim bigint generated always as identity,
  leased_until timestamptz not null,
  -- Set by the transaction that does what was asked for, with what it was done to.
  took_effect boolean not null default false,
  target_type text,
  target_id text,
  status smallint check (status between 200 and 499),
  -- Status, headers and body, sealed; null when they were too large to keep, or forgotten.
  answer text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, key_hash)
) with (fillfactor = 70);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
select postroom_guard('idempotency_keys');

-- Requests of the running minute, summed over all processes. Losing them in a crash forgives a minute.
create unlogged table rate_counts (
  subject text primary key check (length(subject) between 1 and 100),
  -- Minutes since 1970.
  minute bigint not null,
  used bigint not null
) with (fillfactor = 70);
