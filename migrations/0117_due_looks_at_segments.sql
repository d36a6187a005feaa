-- keeps 0114
-- As of 0116: moved on by a look that has told of all.
alter table segment_watches add column due_at timestamptz not null default now();
