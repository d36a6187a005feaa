-- Contacts in and out as CSV files, and what is known of their consent.

-- A file that a job reads or writes, in pieces, so that any process of the fleet may work on it. It is gone once it was
-- read, or when it expires.
create table stored_files (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);
create index stored_files_by_expiry on stored_files (expires_at);
select postroom_guard('stored_files');

create table file_chunks (
  workspace_id bigint not null,
  file_id bigint not null,
  number integer not null,
  data bytea not null,
  primary key (workspace_id, file_id, number),
  foreign key (workspace_id, file_id) references stored_files (workspace_id, id) on delete cascade
);
-- Compressing a megabyte costs more than writing it.
alter table file_chunks alter column data set storage external;
select postroom_guard('file_chunks');

create table imports (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  state text not null default 'uploaded' check (state in ('uploaded', 'running', 'done', 'failed', 'canceled')),
  file_id bigint,
  file_name text check (length(file_name) between 1 and 200),
  -- As it was sent, and as it is stored, in UTF-8.
  bytes bigint not null,
  stored_bytes bigint not null,
  encoding text not null,
  delimiter text not null,
  -- As json, which keeps the order of columns.
  columns json not null,
  suggested_mapping json not null,
  -- Set when it is started: mapping, tags, consent; and whose doing it is, for the audit log.
  settings json,
  started_by json,
  -- Estimated from the line ends until the whole file was read.
  rows_total bigint not null,
  rows_read bigint not null default 0,
  rows_created bigint not null default 0,
  rows_updated bigint not null default 0,
  rows_failed bigint not null default 0,
  rows_skipped bigint not null default 0,
  errors_kept bigint not null default 0,
  -- Where the first record begins that is not imported yet: byte of the stored file, and line of it.
  next_byte bigint not null,
  next_line bigint not null,
  -- Runs that failed since the last slice of rows.
  failed_runs integer not null default 0,
  failure text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, file_id) references stored_files (workspace_id, id) on delete set null (file_id)
);
create index imports_by_file on imports (workspace_id, file_id) where file_id is not null;
create index imports_running on imports (workspace_id, id) where state = 'running';
select postroom_guard('imports');
select postroom_count_rows('imports');

-- Rows that could not be imported, as they stood in the file.
create table import_errors (
  workspace_id bigint not null,
  import_id bigint not null,
  line bigint not null,
  error text not null,
  fields text[] not null,
  primary key (workspace_id, import_id, line),
  foreign key (workspace_id, import_id) references imports (workspace_id, id) on delete cascade
);
select postroom_guard('import_errors');

create table exports (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  state text not null default 'running' check (state in ('running', 'done', 'failed')),
  file_id bigint,
  filter json not null,
  columns json not null,
  started_by json not null,
  -- Whether export_contacts holds those to be exported; without a filter it is everybody.
  gathered boolean not null,
  rows_total bigint not null,
  rows_written bigint not null default 0,
  bytes bigint not null default 0,
  -- The last contact that is in the file, and the pieces it has.
  last_contact_id bigint not null default 0,
  chunks integer not null default 0,
  failure text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  expires_at timestamptz not null,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, file_id) references stored_files (workspace_id, id) on delete set null (file_id)
);
create index exports_by_file on exports (workspace_id, file_id) where file_id is not null;
select postroom_guard('exports');
select postroom_count_rows('exports');

-- Whom a filter found when an export began, until it has ended.
create table export_contacts (
  workspace_id bigint not null,
  export_id bigint not null,
  contact_id bigint not null,
  primary key (workspace_id, export_id, contact_id),
  foreign key (workspace_id, export_id) references exports (workspace_id, id) on delete cascade
);
select postroom_guard('export_contacts');

-- That a contact agreed to marketing mail, and how we know: confirmed by mail, taken over when a workspace began to ask
-- for it, or brought along by an import. No row: nothing is known.
create table contact_consents (
  workspace_id bigint not null,
  contact_id bigint not null,
  provenance text not null check (provenance in ('double_opt_in', 'grandfathered', 'imported')),
  opted_in_at timestamptz,
  opt_in_ip inet,
  confirmed_at timestamptz,
  confirm_ip inet,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, contact_id),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
select postroom_guard('contact_consents');
