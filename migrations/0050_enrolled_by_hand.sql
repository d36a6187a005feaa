-- Of an entry without an event: what tells entries of one contact apart.
alter table run_queue add column entry_key text check (length(entry_key) <= 200);
