-- A slow-down goes to what the provider takes (modules/pacing/slowdown.ts) instead of half of what was offered.
alter table send_paces
  drop column slowed_from,
  drop column slowed_to,
  -- Of those that were counted, refused as "too fast".
  add column refused integer not null default 0,
  -- The rate and what it was measured by; its times are ms on this server's clock. `slowed_at` is that of the last refusal.
  add column slowdown jsonb;
update send_paces set slowed_at = null where slowed_at is not null;
alter table send_paces add constraint send_paces_slowed check ((slowed_at is null) = (slowdown is null));
