-- keeps 0079
-- outside a transaction
-- An address says that it was not its owner, or its owner is erased: all that was filled in with it goes.
create index concurrently if not exists form_submissions_of_address on form_submissions (workspace_id, address_hash);
-- Deleting a version looks for submissions of it.
create index concurrently if not exists form_submissions_of_version on form_submissions (workspace_id, form_id, version);
