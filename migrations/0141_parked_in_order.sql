-- keeps 0136
-- outside a transaction
-- The next row that a group has parked, for those that stand behind it.
create index concurrently if not exists outbox_parked_in_order on outbox_parked (consumer_group, tx, position);
-- Rows that wait for one that is handled now.
create index concurrently if not exists outbox_parked_waiting on outbox_parked (waits_for, position) where waits_for is not null;
