import type pg from 'pg'
import type { Statement } from '../../platform/db/statement.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { Span } from './read-span.ts'
import type { MailCounts, Overview } from './schemas.ts'

/** All mail of the workspace, or that of one broadcast. */
export type About = '' | `broadcast ${string}`

type PointRow = { [Kind in keyof MailCounts]: string } & { at: string; isBefore: boolean }

/** Kinds as they are kept, and as they are told. */
const KINDS: readonly (readonly [kind: string, told: keyof MailCounts])[] = [
  ['accepted', 'accepted'],
  ['failed', 'failed'],
  ['bounced', 'bounced'],
  ['complained', 'complained'],
  ['opened', 'openedByPeople'],
  ['open', 'openedByMachines'],
  ['clicked', 'clickedByPeople'],
  ['click', 'clickedByMachines'],
  ['unsubscribed', 'unsubscribed'],
]

type Wanted = { workspaceId: string; about: About; span: Span }

/** Mail by hour or day, its sums, and those of the time before: read from what is kept by the quarter of an hour, never counted. */
export async function readSeries(sql: pg.Pool, wanted: Wanted): Promise<Overview> {
  const { workspaceId, span } = wanted
  const rows = await queryInScope(sql, workspaceId, seriesStatement(wanted))
  const series = rows.filter(({ isBefore }) => !isBefore).map((row) => ({ at: row.at, ...countsOf(row) }))
  const before = rows.find(({ isBefore }) => isBefore)
  return {
    ...span,
    from: series[0]?.at ?? span.from,
    series,
    totals: sumOf(series),
    before: before ? countsOf(before) : sumOf([]),
  }
}

/**
 * A row a point, and one for the time before. Both tables are read by their keys. Their `hour` is the beginning of a quarter of
 * an hour, for the days and hours of every zone begin with one; of time before migration 0133 it is that of an hour.
 */
function seriesStatement({ workspaceId, about, span }: Wanted): Statement<PointRow> {
  const { from, to, interval, timeZone } = span
  return {
    name: 'mail_series',
    text: `with span as materialized (
        select date_trunc($5, $3::timestamptz, $6) as first, $4::timestamptz as last,
          date_bin('15 minutes', date_trunc($5, $3::timestamptz, $6) - ($4::timestamptz - date_trunc($5, $3::timestamptz, $6)), 'epoch') as before
      ), point as (
        select local at time zone $6 as at from span,
          generate_series(first at time zone $6, (last - interval '1 microsecond') at time zone $6, ('1 ' || $5)::interval) local
        union all select '-infinity'
      ), kept as (
        select t.hour, t.kind, t.total from message_hours t, span
        where t.workspace_id = $1 and t.about = $2 and t.hour >= span.before and t.hour < span.last
        union all
        select t.hour, t.kind, t.machine_messages from hit_hours t, span
        where t.workspace_id = $1 and t.about = $2 and t.hour >= span.before and t.hour < span.last
      ), placed as (
        select case when hour < first then '-infinity' else date_trunc($5, hour, $6) end as at, kind, sum(total) as total
        from kept, span group by 1, 2
      )
      select case when at <> '-infinity' then at end as at, at = '-infinity' as "isBefore",
        ${KINDS.map(([kind, told]) => `coalesce(sum(total) filter (where kind = '${kind}'), 0)::bigint as "${told}"`).join(',\n        ')}
      from point left join placed using (at) group by point.at order by point.at`,
    values: [workspaceId, about, from, to, interval, timeZone],
  }
}

function countsOf(row: PointRow): MailCounts {
  return Object.fromEntries(KINDS.map(([, told]) => [told, Number(row[told])])) as MailCounts
}

function sumOf(series: readonly MailCounts[]): MailCounts {
  const sum = (told: keyof MailCounts) => series.reduce((total, point) => total + point[told], 0)
  return Object.fromEntries(KINDS.map(([, told]) => [told, sum(told)])) as MailCounts
}
