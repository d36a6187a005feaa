-- keeps 0142
-- The queue is read for the check of 0143 while others read and write it.
alter table run_queue validate constraint run_queue_kind_check;
