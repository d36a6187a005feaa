-- keeps 0130
-- What became of mail is summed by the quarter of an hour, for the days of every zone begin with one: those of India begin within an
-- hour of UTC, and had half an hour of the day before. `hour` is the quarter's beginning from now on; what was summed before stays by the
-- hour. What came of a domain's mail is only ever asked for by the hour.
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
    ('accepted', true), ('bounced', bounced_at is not null), ('complained', complained_at is not null)) mark (kind, holds)
  where mark.holds and state = 'accepted' and sending_domain is not null
$$;
