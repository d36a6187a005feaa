-- People, their sessions, the tokens of programs, and the record of who did what.

-- A person may belong to several workspaces, so users and sessions belong to none.
create table users (
  id bigint generated always as identity primary key,
  email text not null unique check (length(email) between 3 and 254 and email = lower(email)),
  name text not null check (length(name) between 1 and 200),
  password_hash text not null check (password_hash like '$argon2id$%'),
  password_changed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table memberships (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
create index memberships_of_user on memberships (user_id, workspace_id);
select postroom_guard('memberships');

-- The cookie's value is stored as its SHA-256 only: reading this table does not let anybody in.
create table sessions (
  hash bytea primary key check (length(hash) = 32),
  user_id bigint not null references users (id) on delete cascade,
  ip text,
  user_agent text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index sessions_of_user on sessions (user_id);
create index sessions_by_age on sessions (seen_at);

-- Login attempts of one account or one address. An attempt counts before the password is looked at, so that many
-- at once get no further than one by one.
create table login_attempts (
  subject bytea primary key check (length(subject) = 32),
  attempts integer not null check (attempts > 0),
  last_at timestamptz not null,
  retry_at timestamptz not null
);
create index login_attempts_by_age on login_attempts (last_at);

create table api_tokens (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  public_id text check (length(public_id) = 12),
  hash bytea not null check (length(hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, hash)
);
-- A request shows its token before anybody knows its workspace.
create index api_tokens_by_hash on api_tokens (hash);
select postroom_guard('api_tokens');

create table audit_entries (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  id bigint generated always as identity,
  occurred_at timestamptz not null default clock_timestamp(),
  actor_kind text not null check (actor_kind in ('user', 'api_token', 'operator', 'system')),
  actor_id text,
  actor_name text,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  target_type text not null,
  target_id text,
  target_name text,
  diff jsonb not null default '{}' check (jsonb_typeof(diff) = 'object'),
  request_id text,
  ip text,
  user_agent text,
  primary key (workspace_id, id)
);
-- Newest first under each filter on its own; combinations narrow what the rarest of them finds.
create index audit_by_time on audit_entries (workspace_id, occurred_at desc, id desc);
create index audit_by_actor_kind on audit_entries (workspace_id, actor_kind, occurred_at desc, id desc);
create index audit_by_actor on audit_entries (workspace_id, actor_id, occurred_at desc, id desc)
  where actor_id is not null;
create index audit_by_action on audit_entries (workspace_id, action, occurred_at desc, id desc);
create index audit_by_target_type on audit_entries (workspace_id, target_type, occurred_at desc, id desc);
create index audit_by_target on audit_entries (workspace_id, target_id, occurred_at desc, id desc)
  where target_id is not null;
create index audit_by_ip on audit_entries (workspace_id, ip, occurred_at desc, id desc) where ip is not null;
create index audit_by_request on audit_entries (workspace_id, request_id, occurred_at desc, id desc)
  where request_id is not null;
select postroom_guard('audit_entries');

-- What was recorded stays as it was: entries leave only together with their workspace.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit entries are never changed';
end $$;
create trigger audit_entries_are_final before update on audit_entries
  for each statement execute function refuse_audit_change();
