-- keeps 0146
-- Whether a date or a schedule brings these people in, which it does once, whatever the version in force is when their turn comes.
alter table automation_comers add column of_occurrence boolean not null default false;
