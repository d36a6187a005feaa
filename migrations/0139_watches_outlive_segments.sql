-- keeps 0133
-- contracts: an older version forgets who was in a segment that nobody listens to, in steps and by the same job, whether the segment is there or not
-- A segment is deleted by itself: with its watch went who is in it, hundreds of thousands in one statement. Automations keep it while they
-- listen; after that the job `watch_segment` forgets its people.
alter table segment_watches drop constraint segment_watches_workspace_id_segment_id_fkey;
