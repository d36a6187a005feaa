-- Acts on everybody whom a filter finds, in the background.
create table bulk_acts (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  act text not null check (act in ('tag', 'untag')),
  tag text not null check (length(tag) between 1 and 100),
  state text not null default 'running' check (state in ('running', 'done', 'canceled', 'failed')),
  filter json not null,
  started_by json not null,
  -- Whether bulk_act_chunks holds those whom it is about.
  gathered boolean not null default false,
  contacts_total bigint not null,
  contacts_done bigint not null default 0,
  contacts_changed bigint not null default 0,
  last_contact_id bigint not null default 0,
  -- The act that it takes back; once.
  undoes bigint,
  -- Whether its chunks are gone: then it cannot be undone.
  forgotten boolean not null default false,
  failure text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint bulk_acts_undoes_key unique (workspace_id, undoes),
  foreign key (workspace_id, undoes) references bulk_acts (workspace_id, id)
);
create index bulk_acts_running on bulk_acts (workspace_id) where state = 'running';
create index bulk_acts_to_forget on bulk_acts (ended_at) where not forgotten;
select postroom_guard('bulk_acts');
select postroom_count_rows('bulk_acts');

-- Whom an act is about, a row for some thousands, and whom of them it has changed.
create table bulk_act_chunks (
  workspace_id bigint not null,
  act_id bigint not null,
  number integer not null,
  contact_ids bigint[] not null,
  changed_ids bigint[] not null default '{}',
  last_contact_id bigint not null,
  primary key (workspace_id, act_id, number),
  foreign key (workspace_id, act_id) references bulk_acts (workspace_id, id) on delete cascade
);
select postroom_guard('bulk_act_chunks');
