-- keeps 0114
-- The name of whoever has paused it; null where it is not paused, or a version before has paused it.
alter table automations add column paused_by text;
