-- keeps 0133
-- Topics are taken away at once, and everybody's yes to them in steps: while that is under way nobody sees the topic.
alter table topics add column deleted_at timestamptz;
