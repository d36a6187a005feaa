-- keeps 0133
-- contracts: an older version that meets a sweep in a stage of mail leaves it to others, and begins none there
-- Mail of the erased is erased before the fence of the sweep is set: what is told of a message afterwards names nobody. Copies of mail to others
-- are walked.
alter table personal_data_sweeps
  drop constraint personal_data_sweeps_stage_check,
  add constraint personal_data_sweeps_stage_check check (stage in ('mail', 'recognised_mail', 'log', 'events', 'messages', 'copies', 'loose',
    'jobs', 'answers', 'files', 'failed_rows', 'traces', 'client_ids')) not valid;
