-- People's own accounts: invitations, second factor, sessions by number, password reset, and the mail that goes with them.

alter table workspaces add column require_second_factor boolean not null default false;

-- A session is shown and ended by its number; the cookie's hash is nobody's business.
alter table sessions add column id bigint generated always as identity;
alter table sessions add constraint sessions_id_taken unique (id);

-- Open invitations only: accepting or revoking one deletes it, so that a link works once. The log keeps what became of it.
create table invitations (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  id bigint generated always as identity,
  email text not null check (length(email) between 3 and 254 and email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  -- The link's secret as its SHA-256 only.
  token_hash bytea not null check (length(token_hash) = 32),
  inviter_name text,
  expires_at timestamptz not null,
  sent_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint invitations_email_taken unique (workspace_id, email),
  unique (workspace_id, token_hash)
);
-- Whoever follows a link does not know its workspace.
create index invitations_by_token on invitations (token_hash);
select postroom_guard('invitations');

-- A person's authenticator (RFC 6238). The secret is sealed; `last_step` is the time step of the last code taken, and no
-- code of that step or an earlier one is taken again.
create table second_factors (
  user_id bigint primary key references users (id) on delete cascade,
  secret text not null,
  -- Null until a first code has shown that the authenticator works; until then it asks nothing of anybody.
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  created_at timestamptz not null default now()
);

create table recovery_codes (
  user_id bigint not null references second_factors (user_id) on delete cascade,
  hash bytea not null check (length(hash) = 32),
  used_at timestamptz,
  primary key (user_id, hash)
);

-- Logins whose password was right and whose second factor is still to come.
create table login_tickets (
  hash bytea primary key check (length(hash) = 32),
  user_id bigint not null references users (id) on delete cascade,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index login_tickets_of_user on login_tickets (user_id);
create index login_tickets_by_age on login_tickets (expires_at);

-- Asked for by anybody, for any address; a job finds out whether it has an account and only then gives it a link.
create table password_resets (
  id uuid primary key,
  email text not null,
  user_id bigint references users (id) on delete cascade,
  token_hash bytea unique check (length(token_hash) = 32),
  issued_at timestamptz,
  expires_at timestamptz not null,
  request_id text,
  ip text,
  user_agent text,
  check ((token_hash is null) = (user_id is null) and (token_hash is null) = (issued_at is null))
);
create index password_resets_by_age on password_resets (expires_at);

-- The instance's own mail to people. The content holds links that let somebody in: it is sealed, and gone once sent.
create table system_mails (
  id bigint generated always as identity primary key,
  kind text not null,
  recipient text not null,
  subject text not null,
  content text,
  -- The same on every attempt, so that a mailbox can tell a repeat.
  message_id text not null unique,
  -- `kept`: no server was set up to send by, the operator reads it instead.
  state text not null check (state in ('waiting', 'sent', 'kept', 'failed')),
  attempts integer not null default 0,
  error text,
  -- When what it says is no longer of use; until then it is tried.
  deliver_before timestamptz not null,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  check (content is not null or state in ('sent', 'failed'))
);
create index system_mails_by_age on system_mails (created_at);
