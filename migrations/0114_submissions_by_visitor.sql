-- keeps 0106
-- outside a transaction
-- A visitor is forgotten: the forms that were filled in in its browser and still wait are found by it.
create index concurrently if not exists form_submissions_by_visitor on form_submissions (workspace_id, visitor_id)
  where visitor_id is not null;
