/**
 * SQL: whether an event is in a partition of `events` that a time reaches into. Nothing else of the time is asked, so that a walk by number
 * with a limit ends at the limit, however few of the events are of the time itself.
 */
export const inMonths = (recordedAt: string, { from, until }: { from: string; until: string }) =>
  `${recordedAt} >= date_trunc('month', ${from}::timestamptz, 'UTC')
  and ${recordedAt} < date_trunc('month', ${until}::timestamptz, 'UTC') + interval '1 month'`
