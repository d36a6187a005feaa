-- A stream that a mail server holds up (credentials_refused, server_unreachable) tries again after growing pauses, one
-- lane at a time (modules/sending/holds.ts).
alter table send_streams
  -- Until when nobody tries: the pause after the last try, or the time of the lane that is trying.
  add column held_until timestamptz,
  add column hold_tries smallint not null default 0,
  -- `updated_at` of the integration that was tried: with other settings it is tried at once.
  add column held_settings timestamptz,
  add constraint send_streams_held check (held_until is null or hold_reason is not null);
