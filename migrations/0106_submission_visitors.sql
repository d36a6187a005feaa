-- keeps 0101
-- The browser in which a form was filled in: it is the contact's once the person has confirmed. Kept no longer than what was filled in.
alter table form_submissions
  add column visitor_id text,
  add constraint form_submissions_visitor_id_check
    check (visitor_id is null or state = 'pending' and length(visitor_id) between 1 and 64) not valid;
