-- keeps 0093
-- Visitors of contacts that were erased, as hashes of their random ids: what still comes of them is dropped.
create table erased_visitors (
  workspace_id bigint not null references workspaces (id),
  visitor_hash bytea not null check (length(visitor_hash) = 32),
  erased_at timestamptz not null default now(),
  primary key (workspace_id, visitor_hash)
);
create index erased_visitors_by_age on erased_visitors (erased_at);
create index erased_visitors_latest on erased_visitors (workspace_id, erased_at);
select postroom_guard('erased_visitors');
