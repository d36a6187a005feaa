-- keeps 0099
-- Where an event of a browser stands in the log, which has an index by that alone: a forgotten visitor's are erased there too. Null in
-- all others, and in those that a version before has stored: their copies leave the log with their day.
alter table events add column tx bigint;
