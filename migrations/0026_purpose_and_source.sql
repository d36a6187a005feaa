-- What a message is sent for, and where it comes from, apart from each other: whom it may go to is asked of both
-- (modules/sending/ledger/refusal.ts), and nothing is taken for marketing because it is a broadcast's.
--
-- Columns are renamed and added without touching the rows; of the rows only single messages are written, found by their
-- own index, and the two indexes of broadcasts' messages are made anew. Nobody reads the ledger meanwhile: 10 s for a
-- million messages of broadcasts and 100,000 single ones, on two cores with eight times as much to do.

set local maintenance_work_mem = '256MB';

alter table messages drop constraint messages_surface_check;
alter table messages drop constraint messages_check;
alter table messages rename column surface to source_kind;
-- Of a broadcast or an automation; null for what is of the workspace itself.
alter table messages rename column broadcast_id to source_id;
alter table messages add column purpose text not null default 'marketing';

-- They are in no totals.
alter table messages disable trigger count_changed;
update messages set source_kind = case source_kind when 'transactional' then 'email' else source_kind end,
  purpose = case source_kind when 'transactional' then 'transactional' else 'system' end
where source_id is null;
alter table messages enable trigger count_changed;

alter table messages
  alter column purpose drop default,
  -- Each source with the purposes it may have; only an automation has a choice.
  add constraint messages_purpose_check check ((source_kind, purpose) in (('broadcast', 'marketing'),
    ('automation', 'marketing'), ('automation', 'service'), ('email', 'transactional'), ('confirmation', 'system'),
    ('test', 'system'))),
  add constraint messages_source_check check ((source_id is not null) = (source_kind in ('broadcast', 'automation')));

-- A broadcast has everybody once; an automation may write to somebody as often as it says. So what finds a contact's
-- messages are two indexes, each of its own rows: OF_CONTACT in modules/sending/ledger/message-source.ts.
alter table messages drop constraint messages_once;
create unique index messages_once on messages (workspace_id, contact_id, source_id, created_at)
  where source_kind = 'broadcast';
create index messages_of_contact on messages (workspace_id, contact_id, id) where source_kind <> 'broadcast';
drop index messages_of_broadcast;
create index messages_of_broadcast on messages (workspace_id, source_id, id) where source_kind = 'broadcast';

-- Automations and broadcasts are numbered apart from each other.
create or replace function count_added_messages() returns trigger language plpgsql as $$
begin
  insert into message_totals as t (workspace_id, broadcast_id, kind, shard, total)
  select workspace_id, source_id, kind, pg_backend_pid() % 8, sum(n) from (
    select workspace_id, source_id, state || coalesce(':' || reason, '') as kind, count(*) as n
    from added where source_kind = 'broadcast' group by 1, 2, 3) counted
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (workspace_id, broadcast_id, kind, shard) do update set total = t.total + excluded.total;
  return null;
end $$;

create or replace function count_changed_messages() returns trigger language plpgsql as $$
begin
  insert into message_totals as t (workspace_id, broadcast_id, kind, shard, total)
  select workspace_id, source_id, kind, pg_backend_pid() % 8, sum(n) from (
    select workspace_id, source_id, unnest(array[state || coalesce(':' || reason, ''),
      case when opened_at is not null then 'opened' end, case when clicked_at is not null then 'clicked' end,
      case when unsubscribed_at is not null then 'unsubscribed' end, case when bounced_at is not null then 'bounced' end,
      case when complained_at is not null then 'complained' end]) as kind, -1 as n
    from before where source_kind = 'broadcast'
    union all
    select workspace_id, source_id, unnest(array[state || coalesce(':' || reason, ''),
      case when opened_at is not null then 'opened' end, case when clicked_at is not null then 'clicked' end,
      case when unsubscribed_at is not null then 'unsubscribed' end, case when bounced_at is not null then 'bounced' end,
      case when complained_at is not null then 'complained' end]) as kind, 1 as n
    from after where source_kind = 'broadcast') counted
  where kind is not null
  group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
  on conflict (workspace_id, broadcast_id, kind, shard) do update set total = t.total + excluded.total;
  return null;
end $$;

-- A stream is a source's: of a broadcast or an automation, or `email` for all single mail of the workspace.
alter table send_streams drop constraint send_streams_surface_check;
alter table send_streams drop constraint send_streams_check;
alter table send_streams rename column surface to source_kind;
update send_streams set source_kind = 'email' where source_kind = 'transactional';
alter table send_streams
  add constraint send_streams_source_check check (source_kind in ('broadcast', 'automation', 'email')
    and (source_id is null) = (source_kind = 'email'));

-- The message says it.
alter table emails drop column surface;
