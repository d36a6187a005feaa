-- keeps 0075
-- Keys by which a workspace's server signs who somebody is, sealed. Two are live, so that they can be changed without a gap.
create table identity_keys (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  tracker_id bigint not null,
  secret text not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, tracker_id) references trackers (workspace_id, id) on delete cascade
);
create index identity_keys_of_tracker on identity_keys (workspace_id, tracker_id);
select postroom_guard('identity_keys');

-- Identities that have been stated of a visitor, as codes under a key that is not in the database: they say only that another one
-- is another person's. A visitor that was given out because the one asked for is another person's says which that was.
create table identity_claims (
  workspace_id bigint not null references workspaces (id),
  visitor_id text not null check (length(visitor_id) between 1 and 64),
  asked_visitor_id text check (length(asked_visitor_id) between 1 and 64),
  subject_mark bytea check (length(subject_mark) = 32),
  email_mark bytea check (length(email_mark) = 32),
  phone_mark bytea check (length(phone_mark) = 32),
  first_claimed_at timestamptz not null default now(),
  claimed_at timestamptz not null default now(),
  primary key (workspace_id, visitor_id)
);
create index identity_claims_by_age on identity_claims (claimed_at);
create index identity_claims_of_asked on identity_claims (workspace_id, asked_visitor_id) where asked_visitor_id is not null;
select postroom_guard('identity_claims');

-- What contacts have against statements about one of them. Nothing is done about it before a person has looked.
create table identity_conflicts (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  kind text not null check (kind in ('aliases-disagree', 'alias-taken', 'possible-duplicate', 'too-many-visitors')),
  alias text check (alias in ('email', 'phone')),
  contact_id bigint not null,
  -- Null: of too many visitors nobody else is known.
  other_contact_id bigint,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- They are two people, somebody has said: what comes again is no news.
  kept_at timestamptz,
  primary key (workspace_id, id),
  constraint identity_conflicts_once unique nulls not distinct (workspace_id, contact_id, other_contact_id, alias),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade,
  foreign key (workspace_id, other_contact_id) references contacts (workspace_id, id) on delete cascade
);
create index identity_conflicts_open on identity_conflicts (workspace_id, id) where kept_at is null;
create index identity_conflicts_of_other on identity_conflicts (workspace_id, other_contact_id);
select postroom_guard('identity_conflicts');
