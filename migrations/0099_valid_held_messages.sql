-- keeps 0080
-- The queue is read for the checks of 0082 while others read and write it.
alter table message_queue
  validate constraint message_queue_held_for_check,
  validate constraint message_queue_held_contact_check;
