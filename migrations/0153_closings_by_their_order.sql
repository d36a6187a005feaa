-- keeps 0148
-- outside a transaction
-- The last closing before an event is found at once, also where an entry was opened and closed many times and nothing happened between.
create index concurrently if not exists automation_closings_in_order on automation_closings (workspace_id, automation_id, from_tx, to_tx);
drop index concurrently if exists automation_closings_by_automation;
