-- keeps 0148
-- How many automations have led to each other up to a mail: what becomes of it by itself is brought about by one more.
alter table run_messages add column depth smallint not null default 0;
