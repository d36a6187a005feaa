-- Kinds of mail that somebody can want or not want by themselves, beside everything: "Offers", "Product news".
create table topics (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  description text check (length(description) <= 500),
  -- Public ones stand on every reader's preference page; private ones only on that of who has subscribed to them.
  visibility text not null check (visibility in ('public', 'private')),
  -- Everybody in an audience gets it who has not said no; or only who has said yes.
  subscription text not null check (subscription in ('everyone', 'opt_in')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint topics_name_key unique (workspace_id, name)
);
select postroom_guard('topics');
select postroom_count_rows('topics');

-- Contacts that have said yes. A no is an unsubscribe of the sending source `topic:<id>`: it is of the address, and
-- outlives the contact.
create table topic_subscriptions (
  workspace_id bigint not null,
  topic_id bigint not null,
  contact_id bigint not null,
  by_whom text not null check (by_whom in ('person', 'workspace')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, topic_id, contact_id),
  foreign key (workspace_id, topic_id) references topics (workspace_id, id) on delete cascade,
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index topic_subscriptions_of_contact on topic_subscriptions (workspace_id, contact_id);
select postroom_guard('topic_subscriptions');

alter table unsubscribes drop constraint unsubscribes_sending_source_check,
  add constraint unsubscribes_sending_source_check
    check (sending_source in ('broadcasts', 'everything') or sending_source ~ '^(automation|topic):[0-9]{1,19}$');

alter table broadcasts add column topic_id bigint;
-- Of a broadcast's topic when it was planned: decides whom the message may go to until it has gone.
alter table messages add column topic_id bigint;
