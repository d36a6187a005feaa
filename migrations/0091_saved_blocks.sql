-- keeps 0087
-- Blocks of mails that a workspace keeps under a name, to put into other mails.
create table saved_blocks (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  -- The element of MJML that it is, which says where it may stand.
  element text not null check (element ~ '^mj-[a-z-]+$'),
  body text not null check (length(body) between 1 and 50000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
create unique index saved_blocks_name_key on saved_blocks (workspace_id, lower(name));
select postroom_guard('saved_blocks');
select postroom_count_rows('saved_blocks');
