-- keeps 0136
-- The group that has parked the same row and has to handle it first (server/platform/outbox/parked.ts). A row waits only for one that
-- is there, and is free as soon as that is handled. A version before lists and replays it as any.
alter table outbox_parked
  add column waits_for text check (waits_for <> consumer_group),
  add foreign key (waits_for, position) references outbox_parked (consumer_group, position) on delete set null (waits_for);
