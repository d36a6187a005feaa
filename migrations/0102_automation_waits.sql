-- keeps 0099
-- Automations in which people may wait for what no event tells, and when these are asked next.
create table automation_waits (
  workspace_id bigint not null,
  automation_id bigint not null,
  next_check_at timestamptz not null default now(),
  -- Why those who wait could not be asked the last time.
  error text,
  primary key (workspace_id, automation_id),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
create index automation_waits_due on automation_waits (next_check_at);
select postroom_guard('automation_waits');
