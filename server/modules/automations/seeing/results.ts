import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { readSpan, type Span } from '../../overview/read-span.ts'
import type { SeriesQuery } from '../../overview/schemas.ts'
import { knownAutomationStatement } from './run-queries.ts'
import type { Results } from './schemas.ts'

const LAST_MS = 30 * DAY_MS
export const RESULT_VERSIONS_MAX = 100

type Key = { workspaceId: string; id: string }
type Asked = SeriesQuery & { version?: number | undefined }

/** Reads what came of those who came in within a span, version by version and day by day. Throws 400, 404. */
export async function readResults(sql: pg.Pool, key: Key, { version, ...query }: Asked): Promise<Results> {
  const span = readSpan(query, { now: new Date(), lastMs: LAST_MS })
  const rows = await inTransaction(sql, key.workspaceId, async (tx) => {
    const [known] = (await tx.query(knownAutomationStatement(key))).rows
    if (!known) throw notFound()
    return (await tx.query(resultsStatement(key, span, version ?? null))).rows
  })
  const series = rows.flatMap(({ at, version: _, ...sums }) => (at === null ? [] : [{ at, ...numbersOf(sums) }]))
  const versions = rows.flatMap(({ version: of, ...sums }) =>
    of === null ? [] : [{ version: of, ...numbersOf(sums) }],
  )
  return { ...span, from: series[0]?.at ?? span.from, series, versions, totals: sumOf(series) }
}

type Sums = { entered: string; goals: string; value: string; heldOut: string }
type Row = Sums & { at: string | null; version: number | null }

/**
 * A row for each hour or day, in order, and behind them one for each version, the newest first: sums of what is kept by the quarter of
 * an hour of entries, of a month at most some thousands of rows a version.
 */
function resultsStatement({ workspaceId, id }: Key, span: Span, version: number | null): Statement<Row> {
  const { from, to, interval, timeZone } = span
  return {
    name: 'results_of_automation',
    text: `with span as materialized (
        select date_trunc($5, $3::timestamptz, $6) as first, $4::timestamptz as last
      ), point as (
        select local at time zone $6 as at from span,
          generate_series(first at time zone $6, (last - interval '1 microsecond') at time zone $6, ('1 ' || $5)::interval) local
      ), came as (
        select version, date_trunc($5, quarter, $6) as at, q.entered, q.goals, q.value, q.held_out from entry_quarters q, span
        where q.workspace_id = $1 and q.automation_id = $2 and q.quarter >= first and q.quarter < last
          and ($7::int is null or q.version = $7)
      ), sums as (
        select at, version, sum(entered) as entered, sum(goals) as goals, sum(value) as value, sum(held_out) as held_out
        from came group by grouping sets ((at), (version))
      )
      select point.at, null::int as version, coalesce(entered, 0) as entered, coalesce(goals, 0) as goals,
        coalesce(value, 0) as value, coalesce(held_out, 0) as "heldOut"
      from point left join sums on sums.version is null and sums.at = point.at
      union all
      (select null, version, entered, goals, value, held_out from sums
        where version is not null and (entered, goals, value, held_out) <> (0, 0, 0, 0)
        order by version desc limit ${RESULT_VERSIONS_MAX})
      order by at nulls last, version desc`,
    values: [workspaceId, id, from, to, interval, timeZone, version],
  }
}

const numbersOf = ({ entered, goals, value, heldOut }: Sums) => ({
  ...{ entered: Number(entered), goals: Number(goals), value: Number(value), heldOut: Number(heldOut) },
})

function sumOf(series: Results['series']): Results['totals'] {
  const totals = { entered: 0, goals: 0, value: 0, heldOut: 0 }
  for (const { entered, goals, value, heldOut } of series) {
    totals.entered += entered
    totals.goals += goals
    totals.value += value
    totals.heldOut += heldOut
  }
  return totals
}
