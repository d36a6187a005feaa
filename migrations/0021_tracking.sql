-- What comes back of mail through links in it.

-- Keys that the links in mails are signed with, apart from every other secret. They are rotated, and none is ever taken
-- away: a link that was mailed works for as long as the mail is kept.
create table link_keys (
  id smallint primary key generated always as identity,
  -- Sealed.
  secret text not null,
  created_at timestamptz not null default now()
);
