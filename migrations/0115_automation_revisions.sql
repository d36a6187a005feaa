-- keeps 0114
-- What a draft was: whatever one author writes within some minutes is one revision, which the next author's never overwrites.
-- What a version before this one writes is in the draft, and becomes a revision when somebody changes it.
create table automation_revisions (
  workspace_id bigint not null,
  automation_id bigint not null,
  revision integer not null check (revision > 0),
  draft text not null check (length(draft) <= 400000),
  -- The linear form it was written in, if it was, and its scenarios: JSON.
  steps text,
  scenarios text not null,
  -- Its author, as in the audit log; null where nobody noted it.
  actor_kind text check (actor_kind in ('user', 'api_token', 'operator', 'system')),
  actor_id text,
  actor_name text,
  -- It was brought back from this one.
  restored_from integer,
  begun_at timestamptz not null default now(),
  saved_at timestamptz not null default now(),
  primary key (workspace_id, automation_id, revision),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
create index automation_revisions_by_age on automation_revisions (saved_at);
select postroom_guard('automation_revisions');
