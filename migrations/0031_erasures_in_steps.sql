-- Erasures end: every part of a sweep is a step with a mark of its own, and whatever they look for is found by an index.

alter table personal_data_sweeps
  -- The mark of stages whose rows have a key of text.
  add column after_text text not null default '',
  drop constraint personal_data_sweeps_stage_check;
-- One stage did all of these before.
update personal_data_sweeps set stage = 'jobs', after_tx = 0, after_position = 0 where stage = 'traces';
update personal_data_sweeps set after_tx = 0, after_position = 0 where stage in ('events', 'messages');
alter table personal_data_sweeps add constraint personal_data_sweeps_stage_check
  check (stage in ('log', 'events', 'messages', 'loose', 'jobs', 'answers', 'files', 'failed_rows', 'traces', 'client_ids'));

-- What was answered about a contact or a message is forgotten with it. Without the index each of a sweep's steps, and each
-- request that erases, read all keys that the workspace used in 24 hours.
create index idempotency_keys_by_target on idempotency_keys (workspace_id, target_type, target_id) where target_id is not null;
