-- keeps 0080
-- Hours in which marketing mail waits, and how much of it one person gets.
alter table sending_settings
  -- By the clock of each person; over midnight where the first is the later.
  add column quiet_from text check (quiet_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  add column quiet_until text check (quiet_until ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' and quiet_until <> quiet_from),
  -- Of people whose zone is not known.
  add column quiet_zone text check (length(quiet_zone) between 1 and 64),
  add column cap_messages smallint check (cap_messages between 1 and 100),
  add column cap_days smallint check (cap_days between 1 and 30),
  -- How long a message waits for room at most.
  add column cap_wait_hours smallint check (cap_wait_hours between 0 and 336),
  add check ((quiet_from is null) = (quiet_until is null) and (quiet_from is null) = (quiet_zone is null)),
  add check ((cap_messages is null) = (cap_days is null) and (cap_messages is null) = (cap_wait_hours is null));
