-- keeps 0068
alter table events
  add column visitor_id text check (length(visitor_id) between 1 and 64),
  add column source text check (source in ('api', 'collect', 'form')),
  add column proof text check (proof in ('none', 'claimed', 'link', 'confirmed', 'signed'));
-- What is attached when a visitor is recognised. Partitions have names that no file knows, so it is made in this transaction:
-- the group `persist` alone writes here, and goes on behind it as it would behind a pause.
do $$ begin
  create index events_of_visitors on events (workspace_id, visitor_id, id) where contact_id is null and visitor_id is not null;
end $$;
