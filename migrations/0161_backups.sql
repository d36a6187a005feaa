-- keeps 0148
-- Copies of the database that the service takes itself: when a person asks for one, and every night at an hour.
create table backup_schedule (
  single boolean primary key default true check (single),
  -- In UTC; null: none by itself.
  hour smallint check (hour between 0 and 23),
  kept smallint not null default 7 check (kept between 1 and 365)
);
insert into backup_schedule default values;

create table backups (
  id bigint generated always as identity primary key,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  file_name text not null unique,
  asked_at timestamptz not null default now(),
  -- Name of the person; null: the night's.
  asked_by text,
  -- The machine that takes it, and has the file.
  host text,
  copied_bytes bigint not null default 0,
  taken_at timestamptz,
  bytes bigint,
  error text,
  ended_at timestamptz
);

-- One at a time, whoever asks.
create unique index backups_unfinished on backups ((true)) where state in ('waiting', 'running');
