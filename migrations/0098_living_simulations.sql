-- keeps 0097
-- When something last ran a simulation: one whose process has died is told from one that goes on.
alter table automation_simulations add column touched_at timestamptz not null default now();
