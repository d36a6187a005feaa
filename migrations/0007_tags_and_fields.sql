-- What a workspace's contacts are marked and described with.

create table tags (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
-- "VIP" and "vip" are one tag, spelled as it was first.
create unique index tags_name_taken on tags (workspace_id, lower(name));
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
