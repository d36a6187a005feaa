-- keeps 0063
-- Trackers: what browsers may record on behalf of a workspace, by a key that anybody may read.
create table trackers (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  -- No secret: it stands in pages. Looked up before the workspace is known.
  key text not null check (length(key) between 10 and 100),
  -- The key before a rotation, good until then.
  previous_key text check (length(previous_key) between 10 and 100),
  previous_until timestamptz,
  -- Empty: any.
  allowed_origins text[] not null default '{}' check (cardinality(allowed_origins) <= 100),
  consent_mode text not null default 'required' check (consent_mode in ('required', 'implied', 'cookieless')),
  identify text not null default 'unsigned' check (identify in ('signed', 'unsigned')),
  -- Empty: any.
  allowed_actions text[] not null default '{}' check (cardinality(allowed_actions) <= 200),
  server_only_actions text[] not null default '{}' check (cardinality(server_only_actions) <= 200),
  respect_gpc boolean not null default true,
  paused boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  check ((previous_key is null) = (previous_until is null))
);
create index trackers_by_key on trackers (key);
create index trackers_by_previous_key on trackers (previous_key) where previous_key is not null;
select postroom_guard('trackers');
select postroom_count_rows('trackers');
