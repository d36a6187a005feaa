-- keeps 0145
-- What had happened when a trigger came into force: events up to this transaction of the log bring nobody in, however late they are read.
alter table automation_listens add since_tx bigint not null default 0;
