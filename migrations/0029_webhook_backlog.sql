-- Events whose deliveries a job of their workspace makes: their stretch of the log wanted more deliveries than the others
-- in it should wait for (modules/webhooks/fan-out-webhooks.ts).
create table webhook_backlog (
  workspace_id bigint not null references workspaces (id),
  position bigint not null,
  tx bigint not null,
  recorded_at timestamptz not null,
  primary key (workspace_id, position)
) with (
  autovacuum_vacuum_scale_factor = 0.05,
  -- Never analysed, as delivery_queue.
  autovacuum_analyze_threshold = 2147483647
);
select postroom_guard('webhook_backlog');
