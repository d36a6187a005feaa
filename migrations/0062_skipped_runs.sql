-- keeps 0061
-- Of a parked run: the visit that somebody has had it go past, and when it was parked.
alter table runs
  add column skip_visit integer,
  add column parked_at timestamptz;
