-- keeps 0074
-- The events that are attached when a visitor is recognised. Partitions have names that no file knows, so it is made in a
-- transaction of its own: the group `persist` alone writes here, and goes on behind it as it would behind a pause; readers read on.
do $$ begin
  create index events_of_visitors on events (workspace_id, visitor_id, id) where contact_id is null and visitor_id is not null;
end $$;
