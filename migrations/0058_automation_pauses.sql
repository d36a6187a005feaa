-- Pauses after which everything is put off. Nothing is rewritten when one ends, however many wait: each run notes how many it
-- has been put off by, and its own turn does the rest when its timer comes.
create table automation_pauses (
  workspace_id bigint not null,
  automation_id bigint not null,
  number integer not null check (number > 0),
  paused_at timestamptz not null,
  took interval not null,
  primary key (workspace_id, automation_id, number),
  foreign key (workspace_id, automation_id) references automations (workspace_id, id) on delete cascade
);
select postroom_guard('automation_pauses');

alter table automations add column pauses integer not null default 0;
alter table runs add column pauses integer not null default 0;

-- The end of a rest, put off by the pauses behind a number that began before it.
create function postroom_put_off(workspace bigint, automation bigint, behind integer, due timestamptz) returns timestamptz
stable language plpgsql as $$
declare pause record;
begin
  for pause in select paused_at, took from automation_pauses
    where workspace_id = workspace and automation_id = automation and number > behind order by number
  loop
    if due > pause.paused_at then due := due + pause.took; end if;
  end loop;
  return due;
end $$;
