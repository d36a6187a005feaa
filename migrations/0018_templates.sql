-- Templates: content for mail, written once and used often. What a template said is never changed, only followed by
-- another version: a message keeps the one that was in force when it was accepted.

create table templates (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  -- The version in force.
  version integer not null default 1 check (version > 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
select postroom_guard('templates');
select postroom_count_rows('templates');

-- Outlives its template: what waits to be sent may still be of it.
create table template_versions (
  workspace_id bigint not null references workspaces (id),
  template_id bigint not null,
  version integer not null,
  subject text not null check (length(subject) <= 1000),
  -- MJML or HTML, with Liquid.
  body text not null check (length(body) <= 200000),
  -- The text part; null: made from the body.
  text text check (length(text) <= 200000),
  created_at timestamptz not null default now(),
  -- When the next version, or nothing, took its place.
  replaced_at timestamptz,
  primary key (workspace_id, template_id, version)
);
create index template_versions_replaced on template_versions (replaced_at) where replaced_at is not null;
select postroom_guard('template_versions');
