-- keeps 0148
-- The last copy that was taken of it by the command and read to its end: of which moment it is, and its size.
alter table installation add column backed_up_at timestamptz, add column backed_up_bytes bigint;
