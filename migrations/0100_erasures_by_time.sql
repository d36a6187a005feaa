-- keeps 0099
-- outside a transaction
-- Whether somebody was erased since a page has named them: the job `identify_visitor` asks of those of the last moments.
create index concurrently if not exists erasures_by_time on erasures (workspace_id, requested_at);
