-- keeps 0120
-- The last time that past triggers were gone through for an automation: how far that is, and what becomes of them.
create table automation_backfills (
  workspace_id bigint not null,
  automation_id bigint not null,
  state text not null default 'running' check (state in ('running', 'done', 'revoked')),
  -- `then`: people begin as of their event; `now`: as of when they are placed.
  as_of text not null check (as_of in ('now', 'then')),
  -- Of the events: their names, and when they were recorded.
  names text[] not null,
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  per_minute integer check (per_minute > 0),
  events bigint not null,
  placed bigint not null default 0,
  -- The event it goes on behind; null: it has not begun.
  last_id bigint,
  created_at timestamptz not null default now(),
  ended_at timestamptz check ((state = 'running') = (ended_at is null)),
  primary key (workspace_id, automation_id),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
select postroom_guard('automation_backfills');

-- Mail of a run due before is too late, whatever its step says: of those who begin as of the past. Null: none is.
alter table runs add column mail_from timestamptz;
