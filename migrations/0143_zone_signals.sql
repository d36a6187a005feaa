-- keeps 0142
-- contracts: the new check lets through all that the old one did
-- Somebody inside has another time zone since: the end of their rest is reckoned anew by the turn that comes to it. A version before
-- takes such a row out and does nothing.
alter table run_queue
  drop constraint run_queue_kind_check,
  add constraint run_queue_kind_check check (kind in ('entry', 'timer', 'exit', 'goal', 'wait', 'zone', 'move')) not valid;
