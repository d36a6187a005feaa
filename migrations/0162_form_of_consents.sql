-- keeps 0160
-- contracts: the bound of words only grows
-- Which form somebody confirmed by; its words stay in the history when the form is deleted, and are as long as a form's may be.
alter table consent_changes
  add column form_id bigint,
  drop constraint consent_changes_wording_check,
  add constraint consent_changes_wording_check check (length(wording) <= 2000) not valid;
