-- The built-in mail server that keeps what it is given, so that mail can be seen before any of it leaves the machine.

-- Who may hand mail to it. A workspace gets its row, an integration and a domain to send from with it, once: what its
-- owner deletes of them stays deleted.
create table mailboxes (
  workspace_id bigint primary key references workspaces (id),
  -- The integration that leads here, as long as there is one.
  integration_id bigint,
  -- Where the server listened when it last started.
  host text not null,
  port integer not null check (port between 1 and 65535),
  -- SHA-256 of the password; the integration has the password itself, sealed.
  password_hash bytea not null check (length(password_hash) = 32),
  created_at timestamptz not null default now(),
  foreign key (workspace_id, integration_id) references integrations (workspace_id, id) on delete set null (integration_id)
);
select postroom_guard('mailboxes');

create table caught_mails (
  workspace_id bigint not null references mailboxes (workspace_id),
  id bigint generated always as identity,
  received_at timestamptz not null default now(),
  -- Of the envelope, as they came over the wire. Empty for the null reverse-path.
  mail_from text not null,
  recipients text[] not null,
  -- Of the header, decoded, for the list.
  subject text not null,
  from_text text not null,
  to_text text not null,
  -- The whole message.
  raw bytea not null,
  bytes integer not null,
  primary key (workspace_id, id)
);
select postroom_guard('caught_mails');
select postroom_count_rows('caught_mails');
