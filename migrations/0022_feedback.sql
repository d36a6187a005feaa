-- What comes back of mail: bounces and complaints, where they are taken in, and why an address is on the list.

alter table suppressions
  -- The message whose bounce or complaint it was, if that is known.
  add column message_id bigint,
  -- What the receiver said: `5.1.1 … User unknown`.
  add column detail text check (length(detail) between 1 and 500);
create index suppressions_by_reason on suppressions (workspace_id, reason, id);
create index suppressions_by_age on suppressions (workspace_id, created_at, id);
insert into row_counts (workspace_id, relation, shard, total)
  select workspace_id, 'suppressions', 0, count(*) from suppressions group by workspace_id
  on conflict do nothing;
select postroom_count_rows('suppressions');
