-- How fast, and how much in 24 hours, may go through an integration: kept here, so that it holds for all processes together.

-- When the last message may be written, and how the offered rate is lowered for a while (modules/pacing/pace.ts).
create table send_paces (
  workspace_id bigint not null,
  integration_id bigint not null,
  -- On this server's clock; may be a little ahead of it.
  last_slot_at timestamptz,
  -- The limit that was last asked with; null: none.
  per_second real,
  -- How many slots were given lately, which is what a slow-down halves.
  counted_from timestamptz,
  counted integer not null default 0,
  offered_per_second real not null default 0,
  -- A slow-down: from this rate up to that one, in a minute.
  slowed_at timestamptz,
  slowed_from real,
  slowed_to real,
  primary key (workspace_id, integration_id),
  foreign key (workspace_id, integration_id) references integrations (workspace_id, id) on delete cascade,
  check (num_nulls(slowed_at, slowed_from, slowed_to) in (0, 3))
) with (fillfactor = 20);
select postroom_guard('send_paces');

-- Messages that are claimed and not settled yet: with those sent in the last 24 hours (send_counters) they use up the limit.
create table send_allowances (
  workspace_id bigint not null,
  integration_id bigint not null,
  in_flight integer not null default 0 check (in_flight >= 0),
  primary key (workspace_id, integration_id),
  foreign key (workspace_id, integration_id) references integrations (workspace_id, id) on delete cascade
) with (fillfactor = 20);
select postroom_guard('send_allowances');

-- Receivers' domains that asked to be left alone for a while, by the integration they asked it of.
create table domain_backoffs (
  workspace_id bigint not null,
  integration_id bigint not null,
  domain text not null check (length(domain) between 1 and 255),
  until timestamptz not null,
  -- How many times in a row; each doubles the time.
  times smallint not null check (times > 0),
  primary key (workspace_id, integration_id, domain),
  foreign key (workspace_id, integration_id) references integrations (workspace_id, id) on delete cascade
) with (fillfactor = 70);
select postroom_guard('domain_backoffs');
