-- All messages of a workspace by time, for the list of them: neither column ever changes, so that settling a message still
-- rewrites no index entry.
create index messages_by_time on messages (workspace_id, created_at, id);
