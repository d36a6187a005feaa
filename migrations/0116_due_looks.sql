-- keeps 0114
-- Since when, or from when on, a look is due: next_check_at moves on with each one that is asked for, whatever becomes of it; this
-- with one that has seen everybody.
alter table automation_waits add column due_at timestamptz not null default now();
