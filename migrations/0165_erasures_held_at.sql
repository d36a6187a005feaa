-- keeps 0163
-- Files that were made before may have the person; null where an older version has erased it: any may.
alter table erasures add column held_at timestamptz;
