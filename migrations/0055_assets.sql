-- Pictures that mails show. The bytes are kept out of the row by themselves: lists do not read them.
create table assets (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  type text not null check (type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
  bytes int not null check (bytes between 1 and 2097152),
  width int not null check (width between 1 and 10000),
  height int not null check (height between 1 and 10000),
  -- SHA-256 of the bytes, in the public address: what is below it never changes.
  digest bytea not null check (length(digest) = 32),
  content bytea not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint assets_digest_key unique (workspace_id, digest)
);
alter table assets alter column content set storage external;
select postroom_guard('assets');
select postroom_count_rows('assets');
