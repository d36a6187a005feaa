-- keeps 0142
-- outside a transaction
-- What is due in a lane. It begins with the lane: the queue is never analysed (ADR 5), and an index that begins as the key does is
-- taken in its place, however many wait in the automation.
create index concurrently if not exists run_queue_due_in_lane on run_queue (slot, workspace_id, automation_id, due_at, position);
drop index concurrently if exists run_queue_due;
