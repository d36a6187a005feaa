-- An audience that one statement cannot gather in its time is frozen stretch by stretch, in the order of its contacts.
alter table broadcasts
  -- Contacts up to this one are judged; those behind freeze_to_id came after the start.
  add column freeze_after_id bigint not null default 0,
  add column freeze_to_id bigint,
  -- Contacts of a stretch; null: all of them by one statement.
  add column freeze_size integer check (freeze_size > 0),
  -- How often the smallest stretch was not gathered in its time.
  add column freeze_failures smallint not null default 0,
  -- How many are in the chunks so far.
  add column frozen_total bigint not null default 0,
  add constraint broadcasts_freeze_check check ((freeze_size is null) = (freeze_to_id is null));
