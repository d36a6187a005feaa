-- keeps 0073
-- outside a transaction
-- A tenant table has no key over all workspaces: a form's is random, and looked up before its workspace is known.
create index concurrently if not exists forms_with_key on forms (key);
drop index concurrently if exists forms_by_key;
