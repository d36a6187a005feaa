-- keeps 0068
-- Browsers that belong to somebody. One that nobody was recognised in has no row: anybody may make up ids.
create table visitors (
  workspace_id bigint not null references workspaces (id),
  visitor_id text not null check (length(visitor_id) between 1 and 64),
  contact_id bigint not null,
  proof text not null check (proof in ('none', 'claimed', 'link', 'confirmed', 'signed')),
  first_seen date not null default current_date,
  last_seen date not null default current_date,
  primary key (workspace_id, visitor_id),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index visitors_of_contact on visitors (workspace_id, contact_id);
select postroom_guard('visitors');

-- Ids that browsers gave their events, hashed with the visitor's: a table of their own, so that a page cannot use up the ids
-- of a server's events. The day is the event's own by the browser's clock, which a repeat says again.
create table collect_event_ids (
  workspace_id bigint not null,
  id_hash bytea not null check (length(id_hash) = 16),
  day timestamptz not null,
  primary key (workspace_id, id_hash, day)
) partition by range (day);
select postroom_guard('collect_event_ids');
do $$
declare
  day timestamptz := date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';
  name text;
begin
  for back in 0..8 loop
    name := 'collect_event_ids_p' || to_char((day - make_interval(days => back)) at time zone 'UTC', 'YYYYMMDD');
    execute format('create table %s partition of collect_event_ids for values from (%L) to (%L)', name,
      day - make_interval(days => back), day - make_interval(days => back - 1));
    perform postroom_guard(name::regclass);
  end loop;
end $$;

-- How a tracker fares, by day: what came of what browsers sent under its key.
create table tracker_days (
  workspace_id bigint not null,
  tracker_id bigint not null,
  day date not null,
  outcome text not null check (length(outcome) between 1 and 40),
  events bigint not null,
  last_at timestamptz not null,
  primary key (workspace_id, tracker_id, day, outcome),
  foreign key (workspace_id, tracker_id) references trackers (workspace_id, id) on delete cascade
);
select postroom_guard('tracker_days');

-- Pages that were refused, the last of them.
create table tracker_refusals (
  workspace_id bigint not null,
  tracker_id bigint not null,
  origin text not null check (length(origin) between 1 and 300),
  requests bigint not null,
  last_at timestamptz not null,
  primary key (workspace_id, tracker_id, origin),
  foreign key (workspace_id, tracker_id) references trackers (workspace_id, id) on delete cascade
);
select postroom_guard('tracker_refusals');
