-- Networks from which an account has been logged in to: strangers who guess at it from everywhere keep nobody there out.

create table known_networks (
  -- SHA-256 of account and network.
  subject bytea primary key check (length(subject) = 32),
  seen_at timestamptz not null default now()
);
create index known_networks_by_age on known_networks (seen_at);
