-- keeps 0101
-- The browser in which a form was filled in: it is the contact's once the person has confirmed. Of use while the submission waits;
-- versions of before leave it standing when they end one, so that no check may ask for its absence then.
alter table form_submissions
  add column visitor_id text,
  add constraint form_submissions_visitor_id_check check (length(visitor_id) between 1 and 64) not valid;
