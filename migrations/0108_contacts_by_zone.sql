-- keeps 0099
-- outside a transaction
-- A date of people comes zone by zone: each is read when its time of day has come there, and at no other time.
create index concurrently if not exists contacts_by_zone on contacts (workspace_id, time_zone);
