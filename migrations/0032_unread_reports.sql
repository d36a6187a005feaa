-- Returned mail that nobody can read here is kept as an unsure bounce with its text, and confirms nothing: it may say anything.

alter table feedback_reports
  add column is_unread boolean not null default false,
  add constraint feedback_reports_unread_check check (not is_unread or cause = 'unsure');
