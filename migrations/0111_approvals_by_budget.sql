-- keeps 0099
-- outside a transaction
-- What a token has sent by its budget, which is summed up with each of its requests.
create index concurrently if not exists approvals_by_budget on approvals (workspace_id, coalesce(scheduled_at, decided_at)) where by_budget;
