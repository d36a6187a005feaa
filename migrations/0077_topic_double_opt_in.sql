-- keeps 0076
-- A topic may ask each person for a confirmation of its own. A version that does not know it takes a yes as one.
alter table topics add column double_opt_in boolean not null default false,
  add constraint topics_double_opt_in_check check (not double_opt_in or subscription = 'opt_in');
