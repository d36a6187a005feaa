-- What comes back of mail through links in it.

-- Keys that the links in mails are signed with, apart from every other secret. They are rotated, and none is ever taken
-- away: a link that was mailed works for as long as the mail is kept.
create table link_keys (
  id smallint primary key generated always as identity,
  -- Sealed.
  secret text not null,
  created_at timestamptz not null default now()
);

create sequence message_hit_id;

-- Each time a picture or a link of a message was asked for, by whomever.
create table message_hits (
  workspace_id bigint not null,
  message_id bigint not null,
  id bigint not null default nextval('message_hit_id'),
  at timestamptz not null,
  kind text not null check (kind in ('open', 'click')),
  -- Of clicks: which link of the template, and where it led.
  link smallint check ((link is null) = (kind = 'open')),
  url text check ((url is null) = (kind = 'open')),
  ip inet,
  user_agent text,
  -- What of the request speaks of a machine (modules/tracking/request-signals.ts).
  signals text[] not null,
  -- Null until it is judged, which is a while later: what else its author does is part of the evidence.
  verdict text check (verdict in ('human', 'machine')),
  primary key (workspace_id, message_id, id, at)
) partition by range (at);
create index message_hits_unjudged on message_hits (workspace_id, at) where verdict is null;
select postroom_guard('message_hits');

-- What the judged hits of a broadcast add up to. Only the job `judge_hits` writes, one at a time for a workspace.
create table hit_totals (
  workspace_id bigint not null,
  broadcast_id bigint not null,
  kind text not null check (kind in ('open', 'click')),
  -- Position of the link in the template; -1 for all of the kind together.
  link smallint not null,
  -- Where it led the last time: of a personal link one of many.
  url text,
  human_hits bigint not null,
  machine_hits bigint not null,
  -- Messages with at least one such hit.
  human_messages bigint not null,
  machine_messages bigint not null,
  primary key (workspace_id, broadcast_id, kind, link)
);
select postroom_guard('hit_totals');

-- What is known of how a contact's consent came, went and came again; never changed, gone with the contact.
create table consent_changes (
  workspace_id bigint not null,
  id bigint generated always as identity,
  contact_id bigint not null,
  at timestamptz not null default now(),
  change text not null check (change in
    ('requested', 'confirmed', 'imported', 'grandfathered', 'unsubscribed', 'resubscribed')),
  -- Of what: null is all marketing mail.
  sending_source text,
  -- Who made it so: the person by a link of a mail, somebody of the workspace, the system.
  by_whom text not null check (by_whom in ('person', 'workspace', 'system')),
  ip inet,
  message_id bigint,
  primary key (workspace_id, id),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index consent_changes_of_contact on consent_changes (workspace_id, contact_id, id);
select postroom_guard('consent_changes');

-- Mails that asked a contact whether they want marketing mail.
create table confirmation_requests (
  workspace_id bigint not null,
  id bigint generated always as identity,
  contact_id bigint not null,
  destination text not null,
  message_id bigint not null,
  requested_at timestamptz not null default now(),
  confirmed_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index confirmation_requests_of_contact on confirmation_requests (workspace_id, contact_id, id);
create index confirmation_requests_by_message on confirmation_requests (workspace_id, message_id);
select postroom_guard('confirmation_requests');
