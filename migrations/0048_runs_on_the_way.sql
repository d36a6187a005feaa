-- How far a run is on its way through time: it has looked for what ended it before it listened, and its rest was put off.
alter table runs
  add column looked boolean not null default false,
  -- Of the node it stands at: by how much a pause of the automation has put its timer off, in microseconds.
  add column put_off bigint not null default 0;

alter table automations
  -- After a pause that put everything off: whoever came meanwhile begins then.
  add column resumed_at timestamptz;

alter table automation_versions
  -- The draft it was made of: of templates it may leave the version open.
  add column written text;

-- Who could not come in because what was asked of them failed time and again.
alter table enrollments
  drop constraint enrollments_refusal_check,
  add constraint enrollments_refusal_check
    check (refusal in ('filter', 'rule', 'mode', 'closed', 'limit', 'loop', 'key', 'failed'));

-- Runs that no timer leads to.
create index runs_parked on runs (workspace_id, automation_id, id) where state = 'parked';
