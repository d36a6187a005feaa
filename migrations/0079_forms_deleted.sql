-- keeps 0078

-- A form that is deleted is nobody's any more; its submissions, which may be very many, go in steps, and it goes with the last.
-- `attack_told_at` is when owners were told that it is filled in much more than usual.
alter table forms add column deleted_at timestamptz, add column attack_told_at timestamptz;
