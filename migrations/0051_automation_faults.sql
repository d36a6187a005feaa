-- What the last look found wrong with automations, over all workspaces. Of the installation.
create table automation_faults (
  fault text primary key,
  found bigint not null,
  checked_at timestamptz not null default now()
);
-- Runs of an automation for those who look. No step changes its columns.
create index runs_of_automation on runs (workspace_id, automation_id, id);
