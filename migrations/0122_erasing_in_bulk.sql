-- keeps 0120
-- contracts: an older version makes acts with a tag alone, leaves the job of the new kind to others, and lists its act with a blank tag
-- Erasing everybody whom a filter finds is an act without a tag. People of an act may be named instead of found by a filter.
alter table bulk_acts
  alter column tag drop not null,
  add column named boolean not null default false,
  drop constraint bulk_acts_act_check,
  add constraint bulk_acts_act_check check (act in ('tag', 'untag', 'erase')) not valid,
  add constraint bulk_acts_tag_of_act_check check ((act = 'erase') = (tag is null)) not valid;
