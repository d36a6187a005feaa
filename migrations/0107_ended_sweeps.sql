-- keeps 0099
-- Until when a trigger that a newer version has otherwise still owes its moments; null: it is in force.
alter table automation_sweeps add column ends_at timestamptz;
