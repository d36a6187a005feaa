-- keeps 0101
-- Both off at first: a mail is forwarded, and joining contacts cannot be undone.
alter table trackers
  add column link_identity boolean not null default false,
  add column auto_merge boolean not null default false;
