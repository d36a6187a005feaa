create table contacts (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  subject_id text check (length(subject_id) between 1 and 200),
  email text check (length(email) between 3 and 254),
  phone text check (length(phone) between 1 and 40),
  first_name text check (length(first_name) between 1 and 200),
  last_name text check (length(last_name) between 1 and 200),
  time_zone text check (length(time_zone) between 1 and 64),
  custom_fields jsonb not null default '{}' check (jsonb_typeof(custom_fields) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint contacts_subject_id_taken unique (workspace_id, subject_id),
  constraint contacts_email_taken unique (workspace_id, email),
  constraint contacts_phone_taken unique (workspace_id, phone),
  constraint contacts_have_an_alias check (coalesce(subject_id, email, phone) is not null)
);
create index contacts_by_update on contacts (workspace_id, updated_at, id);
select postroom_guard('contacts');
select postroom_count_rows('contacts');
