-- keeps 0080
-- Of two messages that wait for room the one of the higher goes first.
alter table send_streams add column priority smallint not null default 0 check (priority between -1 and 1);
