-- keeps 0072
-- Sends that agents ask for: what exactly, as it was then, and what a person decided.
create table approvals (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  broadcast_id bigint not null,
  -- Null: at once.
  scheduled_at timestamptz,
  -- Of content, sender, topic and the rules of the audience.
  content_hash bytea not null check (length(content_hash) = 32),
  recipients_count integer not null check (recipients_count > 0),
  plan json not null,
  note text not null check (length(note) <= 2000),
  asked_by json not null,
  status text not null default 'waiting' check (status in ('waiting', 'approved', 'rejected')),
  decided_by json,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, id),
  check ((status = 'waiting') = (decided_at is null))
);
select postroom_guard('approvals');
select postroom_count_rows('approvals');
