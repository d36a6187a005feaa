-- keeps 0091

-- The approval by which a broadcast was scheduled: it is judged once more before it starts. Null: a person or a program did it.
alter table broadcasts add column approval_id bigint;
