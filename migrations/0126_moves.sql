-- keeps 0120
-- Moves: what another service has is read page by page, shown, and brought in when somebody says so.
create table moves (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  source text not null check (length(source) between 1 and 40),
  state text not null default 'reading' check (state in ('reading', 'read', 'running', 'done', 'failed', 'canceled')),
  -- Of a service that is asked: where it is, and its key, sealed, as long as it is read.
  address text check (length(address) between 1 and 2000),
  sealed_key text check (length(sealed_key) between 1 and 4000),
  -- Of a file that was uploaded.
  upload_id bigint,
  -- Has a piece for each part; it goes when the move has ended.
  file_id bigint,
  -- Where the next page begins; null is the first, and behind the last.
  place text check (length(place) <= 1000),
  pages integer not null default 0,
  parts integer not null default 0,
  -- As json, which keeps the order of names.
  foreseen json not null,
  -- The parts that are brought in are those of a stage before this number.
  stage text check (stage in ('opt_outs', 'people', 'templates', 'broadcasts')),
  next_part integer not null default 0,
  moved json not null,
  -- A service that wants to be left alone, until then.
  waits_until timestamptz,
  failure text,
  failed_runs integer not null default 0,
  started_by json not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, upload_id) references stored_files (workspace_id, id) on delete set null (upload_id),
  foreign key (workspace_id, file_id) references stored_files (workspace_id, id) on delete set null (file_id),
  check (sealed_key is null or state = 'reading')
);
create index moves_by_upload on moves (workspace_id, upload_id) where upload_id is not null;
create index moves_by_file on moves (workspace_id, file_id) where file_id is not null;
-- One is under way at a time.
create unique index moves_under_way on moves (workspace_id) where state in ('reading', 'running');
select postroom_guard('moves');
select postroom_count_rows('moves');

-- Parts of what was read, each of one kind; its content is the piece of that number of the move's file.
create table move_parts (
  workspace_id bigint not null,
  move_id bigint not null,
  number integer not null,
  kind text not null check (kind in ('opt_outs', 'people', 'templates', 'broadcasts')),
  -- Of people: the file that their rows are of.
  file text,
  primary key (workspace_id, move_id, number),
  foreign key (workspace_id, move_id) references moves (workspace_id, id) on delete cascade
);
select postroom_guard('move_parts');
