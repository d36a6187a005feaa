-- keeps 0068
-- contracts: the list of changes only grows, and an older version reads words that it does not know
-- Consent to tracking stands in the same history as that to mail, with the words that the person was asked in.
alter table consent_changes
  add column wording text check (length(wording) <= 1000),
  drop constraint consent_changes_change_check,
  add constraint consent_changes_change_check check (change in ('requested', 'confirmed', 'imported', 'grandfathered',
    'unsubscribed', 'resubscribed', 'tracking_granted', 'tracking_denied')) not valid;
