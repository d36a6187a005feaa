-- Deliveries that still waited left with their month, and what stood for them in the queue kept the lane busy for ever: the
-- turn claimed it, found nothing to send, and gave it back. Their events can be delivered with the endpoint's recovery.
delete from delivery_queue q
where delivery_created_at < now() - interval '30 days' and not exists (
  select from deliveries d
  where d.workspace_id = q.workspace_id and d.id = q.delivery_id and d.created_at = q.delivery_created_at);

-- Partitions are looked after by one schedule for all tables, `maintain_partitions`.
do $$ begin
  if to_regclass('jobs.job_common') is not null then
    delete from jobs.job_common
    where name = 'default' and data ->> 'kind' in ('maintain_deliveries', 'maintain_messages');
  end if;
end $$;
