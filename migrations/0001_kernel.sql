-- Tenancy: the workspace, the wall around its rows, and exact row totals.

create table workspaces (
  id bigint generated always as identity primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- A transaction states whose rows it may touch: one workspace id, or '*' for the system's own work.
-- Unset means nobody's: a forgotten scope shows nothing instead of everything.
create function postroom_workspace() returns bigint stable parallel safe language sql
  return nullif(nullif(current_setting('postroom.workspace', true), ''), '*')::bigint;

create function postroom_sees_all() returns boolean stable parallel safe language sql
  return coalesce(current_setting('postroom.workspace', true), '') = '*';

-- Row-level security for a table with a workspace_id column, binding its owner too. Both functions stand in
-- sub-selects so that they run once a statement and leave the workspace_id indexes usable.
create function postroom_guard(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy workspace on %s using ((select postroom_sees_all()) or workspace_id = (select postroom_workspace()))',
    target);
end $$;

-- Exact totals without counting. Writers of one workspace add to the shard of their own connection, so that they seldom
-- wait for each other; a reader sums at most ROW_COUNT_SHARDS rows.
create table row_counts (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  relation text not null,
  shard smallint not null,
  total bigint not null,
  primary key (workspace_id, relation, shard)
);
select postroom_guard('row_counts');

create function count_added_rows() returns trigger language plpgsql as $$
begin
  insert into row_counts as c (workspace_id, relation, shard, total)
  select workspace_id, tg_table_name, pg_backend_pid() % 8, count(*) from changed group by workspace_id
  on conflict (workspace_id, relation, shard) do update set total = c.total + excluded.total;
  return null;
end $$;

create function count_removed_rows() returns trigger language plpgsql as $$
begin
  insert into row_counts as c (workspace_id, relation, shard, total)
  select workspace_id, tg_table_name, pg_backend_pid() % 8, -count(*) from changed group by workspace_id
  on conflict (workspace_id, relation, shard) do update set total = c.total + excluded.total;
  return null;
end $$;

create function postroom_count_rows(target regclass) returns void language plpgsql as $$
begin
  execute format('create trigger count_added after insert on %s referencing new table as changed
                  for each statement execute function count_added_rows()', target);
  execute format('create trigger count_removed after delete on %s referencing old table as changed
                  for each statement execute function count_removed_rows()', target);
end $$;

-- RFC 3339 in UTC, as every surface writes timestamps.
create function utc_text(at timestamptz) returns text stable parallel safe language sql
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
