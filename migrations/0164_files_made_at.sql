-- keeps 0163
-- When nobody who was erased before could be in it any more; null of a file that an older version has made.
alter table stored_files add column made_at timestamptz;
