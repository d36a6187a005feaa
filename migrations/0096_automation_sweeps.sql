-- keeps 0094
-- Triggers of automations that a time brings about, and up to when they are done.
create table automation_sweeps (
  workspace_id bigint not null,
  automation_id bigint not null,
  -- The trigger as JSON, with its zone: one that a new version has as well goes on where it was.
  spec text not null check (length(spec) <= 1000),
  swept_to timestamptz not null default now(),
  next_check_at timestamptz not null default now(),
  -- Why its people could not be told the last time.
  error text,
  primary key (workspace_id, automation_id, spec),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
create index automation_sweeps_due on automation_sweeps (next_check_at);
select postroom_guard('automation_sweeps');
