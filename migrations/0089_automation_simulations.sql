-- keeps 0086
-- Replays of past events through a draft, with what came of them. The definitions are those of the moment it was asked for.
create table automation_simulations (
  workspace_id bigint not null,
  id bigint generated always as identity,
  automation_id bigint not null,
  state text not null default 'running' check (state in ('running', 'done', 'canceled', 'failed')),
  draft text not null check (length(draft) <= 400000),
  -- The version in force then; null: there was none.
  live text check (length(live) <= 400000),
  live_version integer check ((live is null) = (live_version is null)),
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  -- Of 10,000 people.
  share integer not null check (share between 1 and 10000),
  people_total bigint not null default 0,
  people_done bigint not null default 0,
  events bigint not null default 0,
  report json check (length(report::text) <= 2000000),
  failure text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (workspace_id, id),
  check ((state = 'running') = (ended_at is null)),
  check ((state = 'done') = (report is not null)),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
create index automation_simulations_of on automation_simulations (workspace_id, automation_id, id);
select postroom_guard('automation_simulations');
