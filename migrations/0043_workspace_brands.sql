-- How a workspace shows itself to its readers: on the pages that links in mails lead to, and in the mails that ask for
-- consent.
alter table workspaces
  add column language text not null default 'en'
    check (language in ('en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'da')),
  add column logo_url text check (length(logo_url) <= 2048),
  add column color text check (color ~ '^#[0-9a-f]{6}$'),
  add column confirmed_url text check (length(confirmed_url) <= 2048);
