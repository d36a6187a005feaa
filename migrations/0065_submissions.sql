-- keeps 0064
-- Mails that programs hand over by SMTP, byte for byte as they came; each recipient's message refers to them. Versions before
-- this one cannot send such a message: SUBMISSION_ADDR, off by default, is set when all processes have this one.
create table submitted_mails (
  workspace_id bigint not null,
  id bigint generated always as identity,
  -- That of its messages, with whose month it leaves.
  created_at timestamptz not null,
  -- Its messages, one for each recipient.
  message_ids bigint[] not null check (cardinality(message_ids) between 1 and 50),
  raw bytea not null check (length(raw) between 1 and 10485760),
  primary key (workspace_id, id, created_at)
) partition by range (created_at);
-- Attachments are compressed already.
alter table submitted_mails alter column raw set storage external;
select postroom_guard('submitted_mails');

-- The mail that a message goes out as; null: it is made from what stands beside.
alter table emails add column submitted_id bigint;

-- A mail that is handed over again is answered as the first time, and sent no second time.
create table submission_keys (
  workspace_id bigint not null references workspaces (id),
  -- SHA-256 of the mail's name: an idempotency key, or Message-ID, envelope and body.
  key bytea not null check (length(key) = 32),
  -- SHA-256 of envelope and body: another mail under the same key is refused.
  fingerprint bytea not null check (length(fingerprint) = 32),
  -- The first of its messages; null only within the transaction that takes it.
  message_id bigint,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key)
);
create index submission_keys_created_at on submission_keys (created_at);
select postroom_guard('submission_keys');
