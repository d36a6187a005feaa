import type pg from 'pg'
import { badCursor, invalid } from '../../catalogue/problems.ts'
import type { BROWSER_SOURCES, Proof } from '../../catalogue/proofs.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { cursorsOf, type ExaminedRow, examinedPage } from '../../platform/schema/paging.ts'
import { halvingAt, OUT_OF_ORDER_MS } from './halve-by-time.ts'

/** Events that one page looks at, at most: a rare name is found over several pages, each of which is answered at once. */
const EXAMINED_MAX = 20_000

const cursors = cursorsOf('events', [/^[0-9]{1,19}$/])

export type EventSearch = {
  action?: string | undefined
  source?: (typeof BROWSER_SOURCES)[number] | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
  limit: number
}

type ListedRow = ExaminedRow & {
  id: string
  type: string
  name: string
  contactId: string | null
  subjectId: string | null
  email: string | null
  phone: string | null
  visitorId: string | null
  source: (typeof BROWSER_SOURCES)[number] | null
  proof: Proof | null
  data: string | null
  occurredAt: string
  recordedAt: string
}

/**
 * A page of a workspace's events as they were recorded, newest first. With a filter a page may hold fewer than asked for, and
 * still have a next one. Throws 400 for a bad cursor, or an end before the beginning.
 */
export async function listEvents(sql: pg.Pool, workspaceId: string, search: EventSearch) {
  const { action, source, limit, cursor } = search
  const [beforeId] = cursor === undefined ? [null] : (cursors.decode(cursor) ?? [])
  if (beforeId === undefined) throw badCursor()
  const [from, to] = [search.from, search.to].map((time) => (time === undefined ? null : (toUtc(time) ?? null)))
  if (from && to && Date.parse(to) <= Date.parse(from))
    throw invalid([{ pointer: '/to', detail: 'must be after from' }])
  const named = { action: action ?? null, source: source ?? null }
  const wanted = { workspaceId, ...named, from: from ?? null, to: to ?? null, beforeId, limit: limit + 1 }
  const rows = await queryInScope(sql, workspaceId, eventsNewestStatement(wanted))
  const found = examinedPage(rows, { limit, examinedMax: EXAMINED_MAX })
  const { last } = found
  const items = found.items.map(({ name, data, ...row }) => ({
    ...row,
    action: name,
    properties: parseExactJson(data ?? '{}') as Record<string, unknown>,
  }))
  return { items, ...(last ? { nextCursor: cursors.encode([last.id]) } : {}) }
}

type Wanted = {
  workspaceId: string
  action: string | null
  source: string | null
  from: string | null
  to: string | null
  beforeId: string | null
  limit: number
}

/** Walks the primary key of each partition backwards, from where a time begins. */
function eventsNewestStatement(wanted: Wanted): Statement<ListedRow> {
  const { workspaceId, action, source, from, to, beforeId, limit } = wanted
  return {
    name: `events_newest${to === null ? '' : '_before'}`,
    text: `with recursive ${to === null ? 'start (id) as (select $6::bigint)' : START}, examined as materialized (
        select e.id, e.recorded_at,
          ($2::text is null or e.name = $2) and ($7::text is null or e.source = $7) and ($3::timestamptz is null or e.recorded_at >= $3)
            and ($4::timestamptz is null or e.recorded_at < $4) as fits, row_number() over (order by e.id desc) as n
        from (select id, recorded_at, name, source from events where workspace_id = $1
            and id < coalesce((select id from start), 9223372036854775807)
            and recorded_at >= coalesce($3::timestamptz - interval '${OUT_OF_ORDER_MS} milliseconds', '-infinity')
          order by id desc limit case when $2::text is null and $7::text is null and $3::timestamptz is null and $4::timestamptz is null then $5 else ${EXAMINED_MAX} end) e
      ), fitting as (
        select * from examined where fits order by id desc limit $5
      ), last as (
        select * from examined where (select count(*) from fitting) < $5 order by id limit 1
      )
      select s.id, e.type, e.name, e.contact_id as "contactId", e.subject_id as "subjectId", e.email, e.phone, e.visitor_id as "visitorId",
        e.source, e.proof, e.data,
        e.occurred_at as "occurredAt", s.recorded_at as "recordedAt", s.fits, s.n as examined
      from (select * from fitting union select * from last) s
      join events e on e.workspace_id = $1 and e.id = s.id and e.recorded_at = s.recorded_at
      order by s.id desc`,
    values: [workspaceId, action, from, to, limit, beforeId, source],
  }
}

const START = `${halvingAt(`$4::timestamptz + interval '${OUT_OF_ORDER_MS} milliseconds'`)}, start (id) as (
        select least((select min(high) from halving), $6::bigint)
      )`
