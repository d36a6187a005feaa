-- keeps 0148
-- What a receiver refuses at once has come back as much as what it sends back later: the hours of a domain have both. `failed` there is
-- what was refused so, and is `bounced` as well. A version before reads `accepted` and `bounced`, and writes nothing of this itself.
create or replace function message_marks(state text, sending_domain text, settled_at timestamptz, opened_at timestamptz,
  clicked_at timestamptz, unsubscribed_at timestamptz, bounced_at timestamptz, complained_at timestamptz)
returns table (is_of_domain boolean, kind text, hour timestamptz) language sql stable as $$
  select false, mark.kind, date_bin('15 minutes', mark.at, 'epoch') from (values
    ('accepted', case when state = 'accepted' then settled_at end),
    ('failed', case when state = 'failed' then settled_at end),
    ('opened', opened_at), ('clicked', clicked_at), ('unsubscribed', unsubscribed_at), ('bounced', bounced_at),
    ('complained', complained_at)) mark (kind, at)
  where mark.at is not null
  union all
  select true, mark.kind, date_trunc('hour', settled_at, 'UTC') from (values
    ('accepted', state = 'accepted'), ('failed', state = 'failed' and bounced_at is not null),
    ('bounced', bounced_at is not null), ('complained', state = 'accepted' and complained_at is not null)) mark (kind, holds)
  where mark.holds and state in ('accepted', 'failed') and sending_domain is not null
$$;

-- Nobody writes a message between the function of before and the one that counts from now on: what is there is counted once. Rates reach
-- ninety days back; partitions before that are left alone.
lock table messages in share row exclusive mode;

insert into message_hours as t (workspace_id, about, hour, kind, shard, total)
select m.workspace_id, 'domain ' || m.sending_domain, date_trunc('hour', m.settled_at, 'UTC'), kind, 0, count(*)
from messages m cross join unnest(array['failed', 'bounced']) kind
where m.created_at >= now() - interval '100 days' and m.state = 'failed' and m.bounced_at is not null
  and m.settled_at is not null and m.sending_domain is not null and m.source_kind <> 'test'
group by 1, 2, 3, 4
on conflict (workspace_id, about, hour, kind, shard) do update set total = t.total + excluded.total;
