-- keeps 0076
-- Mails that ask whether somebody wants one topic; null: whether they want marketing mail. Without a foreign key: the request of a
-- topic that is no more is one whose link leads nowhere.
alter table confirmation_requests add column topic_id bigint;
