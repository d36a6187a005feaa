-- When a process last had the group. A group that a release has dropped is read by nobody any more: its cursor stays where
-- it is, and after a time the log need not keep everything behind it (server/platform/outbox/readers.ts).
alter table outbox_cursors add column seen_at timestamptz not null default now();
