-- keeps 0148
-- Tags that were renamed since the import was started, by the names in lower case that its file and its settings have for them:
-- {"vip": "12"}.
alter table imports add column tag_ids jsonb not null default '{}' check (jsonb_typeof(tag_ids) = 'object');
