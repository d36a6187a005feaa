-- keeps 0099
-- outside a transaction
-- The same request again, by the same content.
create index concurrently if not exists approvals_by_content on approvals (workspace_id, content_hash);
