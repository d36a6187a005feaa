-- keeps 0120
-- People at steps that tell the team by mail, of whom it has not been told yet: how many by step, and since when. A row belongs to one
-- lane, so that no two turns wait for each other.
create table automation_notices (
  workspace_id bigint not null,
  automation_id bigint not null,
  slot smallint not null,
  version integer not null,
  node text not null,
  people bigint not null check (people > 0),
  since timestamptz not null default now(),
  primary key (workspace_id, automation_id, slot, version, node),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
select postroom_guard('automation_notices');

-- The first of those of whom the team has not been told yet: the mail names them.
create table automation_notice_people (
  workspace_id bigint not null,
  automation_id bigint not null,
  slot smallint not null,
  version integer not null,
  node text not null,
  run_id bigint not null,
  visit integer not null,
  contact_id bigint not null,
  -- The event that brought them in; null: none did.
  event_id bigint,
  event_at timestamptz,
  came_at timestamptz not null,
  primary key (workspace_id, automation_id, slot, version, node, run_id, visit),
  foreign key (workspace_id, automation_id, slot, version, node) references automation_notices
    (workspace_id, automation_id, slot, version, node) on delete cascade
);
create index automation_notice_people_by_contact on automation_notice_people (workspace_id, contact_id);
select postroom_guard('automation_notice_people');

-- When the team was told of an automation last.
create table automation_notice_paces (
  workspace_id bigint not null,
  automation_id bigint not null,
  told_at timestamptz not null,
  primary key (workspace_id, automation_id),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
select postroom_guard('automation_notice_paces');
