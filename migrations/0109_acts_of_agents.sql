-- keeps 0099
-- contracts: an older version neither makes requests of the new kinds nor decides on them, and takes those that it knows
-- Agents may ask for more than broadcasts: to activate an automation, and to mail one contact.
alter table approvals
  add column act text not null default 'broadcast' check (act in ('broadcast', 'automation', 'email')),
  add column automation_id bigint,
  add column template_id bigint,
  add column contact_id bigint,
  -- Nobody was asked: it was within what a person had allowed the token before.
  add column by_budget boolean not null default false,
  -- Why a person was asked although the token has a budget.
  add column budget_reason text,
  alter column broadcast_id drop not null,
  drop constraint approvals_recipients_count_check,
  add constraint approvals_recipients_count_check check (recipients_count >= 0) not valid,
  add constraint approvals_target_check check (
    num_nonnulls(broadcast_id, automation_id, template_id) = 1 and (template_id is null) = (contact_id is null)) not valid;

-- How far a token of an agent may go by itself. Without a row every act is asked for.
create table send_policies (
  workspace_id bigint not null references workspaces (id),
  token_id bigint not null,
  mode text not null check (mode in ('approve', 'budget', 'off')),
  -- Of `budget` alone.
  recipients_per_send integer check (recipients_per_send between 1 and 10000000),
  recipients_per_day integer check (recipients_per_day between 1 and 10000000),
  sends_per_day integer check (sends_per_day between 1 and 10000),
  -- Segments of which each audience has to be one; null: any.
  segment_ids bigint[] check (cardinality(segment_ids) between 1 and 50),
  -- Local times between which it may go out; null: any.
  from_time text check (from_time ~ '^[0-2][0-9]:[0-5][0-9]$'),
  until_time text check (until_time ~ '^[0-2][0-9]:[0-5][0-9]$' and until_time <> from_time),
  time_zone text,
  primary key (workspace_id, token_id),
  foreign key (workspace_id, token_id) references api_tokens (workspace_id, id) on delete cascade,
  check ((mode = 'budget') = (num_nulls(recipients_per_send, recipients_per_day, sends_per_day) = 0)),
  check (num_nulls(from_time, until_time, time_zone) in (0, 3))
);
select postroom_guard('send_policies');
