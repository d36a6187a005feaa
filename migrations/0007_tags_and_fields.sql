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

create table contact_tags (
  workspace_id bigint not null,
  tag_id bigint not null,
  contact_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, tag_id, contact_id),
  foreign key (workspace_id, tag_id) references tags (workspace_id, id) on delete cascade,
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index contact_tags_by_contact on contact_tags (workspace_id, contact_id, tag_id);
select postroom_guard('contact_tags');

-- The keys that contacts' custom_fields have. Values stay in contacts; a key that nobody declared is inferred from the
-- first value it is seen with. A declared type is kept to, an inferred one is a guess that refuses nothing.
create table custom_fields (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  key text not null check (length(key) between 1 and 100),
  name text not null check (length(name) between 1 and 200),
  type text not null check (type in ('string', 'number', 'boolean', 'datetime')),
  declared boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint custom_fields_key_taken unique (workspace_id, key)
);
select postroom_guard('custom_fields');
select postroom_count_rows('custom_fields');
