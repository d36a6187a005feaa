-- keeps 0080
-- Messages that are due and wait all the same, out of consideration for their person. Not valid: no row of before has any of it, so
-- nobody waits while the queue is read; 0099 reads it beside them.
alter table message_queue
  add column held_for text,
  -- Whom it is for, while it is held: the next room is that of who waits first.
  add column contact_id bigint,
  -- Since when it waits for room, whatever else held it in between.
  add column capped_since timestamptz,
  -- Held for longer than this it is not sent any more: the rule of its own source.
  add column not_after timestamptz,
  add constraint message_queue_held_for_check check (held_for in ('quiet_hours', 'frequency_cap')) not valid,
  add constraint message_queue_held_contact_check check ((held_for is null) = (contact_id is null)) not valid;
