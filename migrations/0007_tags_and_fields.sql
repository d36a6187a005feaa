-- What a workspace's contacts are found by, marked with and described with.

-- Trusted extensions: the database's owner may create them.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- What `search` looks in: every field it covers in lower case, each after a line break. Kept by triggers, which see to
-- it that every row has its contact: a foreign key would look that up again for each, a fifth of the cost of a new one.
create table contact_search (
  workspace_id bigint not null,
  contact_id bigint not null,
  text text not null,
  primary key (workspace_id, contact_id)
);
-- New rows wait in a list that every search reads through: short, so that a search costs little and nobody pays long.
create index contact_search_text on contact_search using gin (workspace_id, text gin_trgm_ops)
  with (gin_pending_list_limit = 512);
select postroom_guard('contact_search');

-- PostgreSQL evaluates no condition before those of row-level security that could leak what it sees, and LIKE is not
-- certified not to: a query's own `text like` would never use the index. So the search is itself a condition of
-- row-level security, one that narrows: a transaction that sets `postroom.search` to a pattern sees the rows it matches
-- (ADR 9).
create policy search on contact_search as restrictive for select
  using (text like coalesce(nullif(current_setting('postroom.search', true), ''), '%'));

create function contact_search_text(contact contacts) returns text stable parallel safe language sql
  return lower(concat(
    E'\n' || contact.email,
    E'\n' || concat_ws(' ', contact.first_name, contact.last_name),
    E'\n' || contact.last_name,
    E'\n' || contact.subject_id,
    E'\n' || contact.phone));

create function add_contact_search() returns trigger language plpgsql as $$
begin
  insert into contact_search (workspace_id, contact_id, text)
  select workspace_id, id, contact_search_text(changed) from changed;
  return null;
end $$;

create function change_contact_search() returns trigger language plpgsql as $$
begin
  update contact_search s set text = contact_search_text(changed)
  from changed join former using (workspace_id, id)
  where s.workspace_id = changed.workspace_id and s.contact_id = changed.id
    and contact_search_text(changed) <> contact_search_text(former);
  return null;
end $$;

create trigger search_added after insert on contacts referencing new table as changed
  for each statement execute function add_contact_search();
create trigger search_changed after update on contacts referencing old table as former new table as changed
  for each statement execute function change_contact_search();

create function remove_contact_search() returns trigger language plpgsql as $$
begin
  delete from contact_search s using removed
  where s.workspace_id = removed.workspace_id and s.contact_id = removed.id;
  return null;
end $$;
create trigger search_removed after delete on contacts referencing old table as removed
  for each statement execute function remove_contact_search();

create table tags (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  -- "VIP" and "vip" are one tag, spelled as it was first. A column, for what row-level security guards is not looked up
  -- by an expression.
  folded_name text not null generated always as (lower(name)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint tags_name_taken unique (workspace_id, folded_name)
);
create index tags_by_name on tags (workspace_id, name collate "C", id);
select postroom_guard('tags');
select postroom_count_rows('tags');

-- No foreign key to tags: a tag that a million contacts have is gone at once, and its rows here in batches afterwards
-- (tags/sweep-tag.ts). Whoever adds a row locks the tag (tags/apply-tags.ts); whoever reads one joins it.
create table contact_tags (
  workspace_id bigint not null,
  tag_id bigint not null,
  contact_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, tag_id, contact_id),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index contact_tags_by_contact on contact_tags (workspace_id, contact_id, tag_id);
select postroom_guard('contact_tags');

-- How many contacts have a tag, without counting them: as row_counts, one level deeper.
create table tag_counts (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  tag_id bigint not null,
  shard smallint not null,
  total bigint not null,
  primary key (workspace_id, tag_id, shard)
);
select postroom_guard('tag_counts');

create function count_added_tags() returns trigger language plpgsql as $$
begin
  insert into tag_counts as c (workspace_id, tag_id, shard, total)
  select workspace_id, tag_id, pg_backend_pid() % 8, count(*) from changed group by workspace_id, tag_id
  order by workspace_id, tag_id
  on conflict (workspace_id, tag_id, shard) do update set total = c.total + excluded.total;
  return null;
end $$;

create function count_removed_tags() returns trigger language plpgsql as $$
begin
  insert into tag_counts as c (workspace_id, tag_id, shard, total)
  select workspace_id, tag_id, pg_backend_pid() % 8, -count(*) from changed group by workspace_id, tag_id
  order by workspace_id, tag_id
  on conflict (workspace_id, tag_id, shard) do update set total = c.total + excluded.total;
  return null;
end $$;

create trigger count_added after insert on contact_tags referencing new table as changed
  for each statement execute function count_added_tags();
create trigger count_removed after delete on contact_tags referencing old table as changed
  for each statement execute function count_removed_tags();

-- The keys that contacts' custom_fields have. Values stay in contacts; a key that nobody declared is inferred from the
-- first value it is seen with. A declared type is kept to, an inferred one is a guess that refuses nothing.
create table custom_fields (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  key text not null check (length(key) between 1 and 100),
  -- While a rename runs: the key that values may still have, and callers may still give.
  previous_key text check (length(previous_key) between 1 and 100),
  name text not null check (length(name) between 1 and 200),
  type text not null check (type in ('string', 'number', 'boolean', 'datetime')),
  declared boolean not null,
  -- While its values are being removed. Nobody sees the field, nobody may use its key.
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint custom_fields_key_taken unique (workspace_id, key),
  constraint custom_fields_previous_key_taken unique (workspace_id, previous_key)
);
select postroom_guard('custom_fields');

-- A change of a field that its values follow in the background, contact by contact in the order of ids: the last of each
-- kind, at most one of them running. A retype counts what fits; of what does not it keeps whose it is, never the value.
create table custom_field_rewrites (
  workspace_id bigint not null,
  field_id bigint not null,
  kind text not null check (kind in ('rename', 'retype', 'delete')),
  type text check (type in ('string', 'number', 'boolean', 'datetime')),
  dry_run boolean not null default false,
  after_contact_id bigint not null default 0,
  examined bigint not null default 0,
  fitting bigint not null default 0,
  unfit bigint not null default 0,
  unfit_contact_ids bigint[] not null default '{}',
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (workspace_id, field_id, kind),
  foreign key (workspace_id, field_id) references custom_fields (workspace_id, id) on delete cascade,
  check ((kind = 'retype') = (type is not null))
);
create unique index custom_field_rewrites_running on custom_field_rewrites (workspace_id, field_id)
  where finished_at is null;
select postroom_guard('custom_field_rewrites');
