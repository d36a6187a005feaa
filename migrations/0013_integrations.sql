-- The transports a workspace sends through, and what each has sent.

create table integrations (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  channel text not null check (channel = 'email'),
  provider text not null check (provider in ('smtp', 'ses')),
  enabled boolean not null,
  is_default boolean not null,
  max_per_second integer check (max_per_second between 1 and 10000),
  max_per_day integer check (max_per_day between 1 and 100000000),
  from_email text not null,
  from_name text,
  host text,
  port integer check (port between 1 and 65535),
  tls text check (tls in ('implicit', 'starttls', 'none')),
  username text,
  region text,
  endpoint text,
  access_key_id_last4 text,
  -- Sealed to this row and column, and opened only to send, to test and to read the quota.
  password text,
  access_key_id text,
  secret_access_key text,
  -- What the provider allows, as it was last read; a failure since leaves the values. Null per_* = no limit.
  quota_per_second integer check (quota_per_second > 0),
  quota_per_day bigint check (quota_per_day >= 0),
  quota_sent_24h bigint,
  quota_read_at timestamptz,
  quota_failed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint integrations_smtp check (
    provider <> 'smtp' or (host is not null and port is not null and tls is not null
      and num_nonnulls(region, endpoint, access_key_id_last4, access_key_id, secret_access_key) = 0)),
  constraint integrations_ses check (
    provider <> 'ses' or (num_nulls(region, access_key_id_last4, access_key_id, secret_access_key) = 0
      and num_nonnulls(host, port, tls, username, password) = 0)),
  constraint integrations_login check (password is null or username is not null)
);
create unique index integrations_one_default on integrations (workspace_id, channel) where is_default;
create index integrations_with_quota on integrations (workspace_id, id) where provider = 'ses' and enabled;
select postroom_guard('integrations');
select postroom_count_rows('integrations');

-- Sent messages by the minute, for rolling limits: at most 1,441 rows an integration are summed, where counting messages
-- has no end. Pages are half empty, so that counting up the current minute stays on its page and out of the index.
create table send_counters (
  workspace_id bigint not null,
  integration_id bigint not null,
  minute timestamptz not null,
  sent integer not null check (sent > 0),
  primary key (workspace_id, integration_id, minute),
  foreign key (workspace_id, integration_id) references integrations (workspace_id, id) on delete cascade
) with (fillfactor = 50);
select postroom_guard('send_counters');
