-- keeps 0118
-- outside a transaction
-- Submissions of a form that are in one state are listed and counted; few of a million wait.
create index concurrently if not exists form_submissions_by_state on form_submissions (workspace_id, form_id, state, id);
-- Those that led to nothing go after a while, the oldest first.
create index concurrently if not exists form_submissions_ended on form_submissions (created_at) where state in ('expired', 'refused');
