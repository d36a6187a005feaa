-- keeps 0086
-- outside a transaction
-- How many visitors claim the same person.
create index concurrently if not exists identity_claims_by_email on identity_claims (workspace_id, email_mark)
  where email_mark is not null;
create index concurrently if not exists identity_claims_by_phone on identity_claims (workspace_id, phone_mark)
  where phone_mark is not null;
create index concurrently if not exists identity_claims_by_subject on identity_claims (workspace_id, subject_mark)
  where subject_mark is not null;
