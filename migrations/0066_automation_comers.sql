-- keeps 0065
-- People of a segment who are to come into an automation: chunks that a job puts into the queue one by one. As they were when
-- somebody asked for it; a chunk is gone with the transaction that has put it there.
create table automation_comers (
  workspace_id bigint not null,
  automation_id bigint not null,
  number bigint not null generated always as identity,
  contact_ids bigint[] not null,
  -- Of its first one; with `per_minute` the others begin one after the other.
  begins_at timestamptz not null,
  per_minute integer,
  entry_key text,
  primary key (workspace_id, automation_id, number),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
select postroom_guard('automation_comers');
