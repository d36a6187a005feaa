-- keeps 0099
-- outside a transaction
-- Requests that wait, of which there are few among those that are kept.
create index concurrently if not exists approvals_waiting on approvals (workspace_id) where status = 'waiting';
