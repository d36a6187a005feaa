-- keeps 0080
-- outside a transaction
create index concurrently if not exists message_queue_held on message_queue (workspace_id, contact_id, message_id)
  where held_for is not null;
