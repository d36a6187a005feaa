-- keeps 0099
-- Stories that an automation has to tell before it is published: a list as JSON, beside the draft.
alter table automations add column scenarios text not null default '[]' check (length(scenarios) <= 200000);
