-- What single messages say: transactional mail and tests. A row goes with its row of messages, and leaves with its month.
create table emails (
  workspace_id bigint not null,
  message_id bigint not null,
  -- That of the message.
  created_at timestamptz not null,
  surface text not null check (surface in ('transactional', 'test')),
  -- The version that was in force when the message was accepted, whatever is done to the template before it goes out.
  template_id bigint,
  template_version integer check ((template_version is null) = (template_id is null)),
  -- Content of its own; null with a template, and after an erasure.
  subject text,
  html text,
  text text,
  -- Liquid is applied to content of its own only when there are some. As given, so that no number loses digits.
  variables json,
  -- Null: those of the integration.
  from_email text,
  from_name text,
  destination_name text,
  -- [{"address": …, "name": …}]
  cc json not null default '[]',
  reply_to json not null default '[]',
  bcc json not null default '[]',
  -- [[name, value]], in order.
  headers json not null default '[]',
  one_click_url text,
  track_opens boolean not null default false,
  track_clicks boolean not null default false,
  scheduled_at timestamptz,
  primary key (workspace_id, message_id, created_at)
) partition by range (created_at);
select postroom_guard('emails');

create table email_attachments (
  workspace_id bigint not null,
  message_id bigint not null,
  position smallint not null,
  created_at timestamptz not null,
  file_name text not null,
  content_type text not null,
  content_id text,
  content bytea not null,
  primary key (workspace_id, message_id, position, created_at)
) partition by range (created_at);
-- Attachments are compressed already.
alter table email_attachments alter column content set storage external;
select postroom_guard('email_attachments');

-- A sweep for erased persons also goes through their messages.
alter table personal_data_sweeps drop constraint personal_data_sweeps_stage_check,
  add constraint personal_data_sweeps_stage_check check (stage in ('log', 'events', 'messages', 'loose', 'traces'));
