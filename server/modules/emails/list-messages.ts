import type pg from 'pg'
import { badCursor, invalid } from '../../catalogue/problems.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { cursorsOf, type ExaminedRow, examinedPage } from '../../platform/schema/paging.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { SURFACE, type Surface } from '../sending/ledger/surface.ts'
import { ofContact } from '../sending/message-source.ts'
import { EMAIL, type EmailRow, OF_MESSAGE } from './email-queries.ts'
import { emailStatusSql } from './email-status.ts'
import { addressIn } from './read-emails.ts'
import type { EmailStatus } from './schemas.ts'

/** Messages that one page looks at, at most: what is rare is found over several pages, each of which is answered at once. */
const EXAMINED_MAX = 20_000

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/
const DIGITS = /^[0-9]{1,19}$/
const cursors = cursorsOf('messages', [TIME, DIGITS])

export type MessageFilter = {
  status?: EmailStatus | undefined
  surface?: Surface | undefined
  templateId?: string | undefined
  /** Times, RFC 3339. */
  from?: string | undefined
  to?: string | undefined
  destination?: string | undefined
}

export type MessageQuery = MessageFilter & { cursor?: string | undefined; limit: number }

/**
 * A page of everything that was sent or not sent, newest first. With a filter a page may hold fewer than asked for, and still
 * have a next one: what it looks at is bounded. Throws 400 for a bad cursor, or an end before the beginning.
 */
export async function listMessages(deps: { sql: pg.Pool }, workspaceId: string, query: MessageQuery) {
  const { cursor, limit, ...given } = query
  if (isBeyondIds(given.templateId)) return { items: [] }
  const filter = { ...given, destination: addressIn(given.destination), ...timesOf(given) }
  const search = { workspaceId, filter, before: placeOf(cursor), limit: limit + 1 }
  const rows = await queryInScope(deps.sql, workspaceId, messagesNewestStatement(search))
  const { items, last } = examinedPage(rows, { limit, examinedMax: EXAMINED_MAX })
  return { items, ...(last ? { nextCursor: cursors.encode([last.createdAt, last.id]) } : {}) }
}

function timesOf({ from, to }: MessageFilter): Pick<MessageFilter, 'from' | 'to'> {
  const times = { from: from === undefined ? from : toUtc(from), to: to === undefined ? to : toUtc(to) }
  if (times.from !== undefined && times.to !== undefined && Date.parse(times.to) <= Date.parse(times.from)) {
    throw invalid([{ pointer: '/to', detail: 'must be after from' }])
  }
  return times
}

function placeOf(cursor: string | undefined): MessagePlace | undefined {
  if (cursor === undefined) return undefined
  const [createdAt, id] = cursors.decode(cursor) ?? []
  if (createdAt === undefined || id === undefined) throw badCursor()
  return { createdAt, id }
}

/** The newest first: by time, then by id. */
type MessagePlace = { createdAt: string; id: string }

type MessageSearch = { workspaceId: string; filter: MessageFilter; before: MessagePlace | undefined; limit: number }

/** The last row examined is among them, whether it fits or not: there the next page begins. */
type ListedRow = EmailRow & ExaminedRow

/**
 * Messages of any source, newest first. All of them are walked by the index of times; those to an address are of the contact
 * that has it now, and single ones to the address itself, each half by its own index, for messages of broadcasts are not in
 * that of addresses.
 */
function messagesNewestStatement({ workspaceId, filter, before, limit }: MessageSearch): Statement<ListedRow> {
  const values: unknown[] = [workspaceId]
  const value = (item: unknown) => `$${values.push(item)}`
  const fits = ['true']
  if (filter.status !== undefined) fits.push(`${emailStatusSql('m.state')} = ${value(filter.status)}`)
  if (filter.surface !== undefined) fits.push(`${SURFACE} = ${value(filter.surface)}`)
  if (filter.templateId !== undefined) fits.push(`coalesce(e.template_id = ${value(filter.templateId)}::bigint, false)`)
  const when: string[] = []
  if (filter.from !== undefined) when.push(`and m.created_at >= ${value(filter.from)}::timestamptz`)
  if (filter.to !== undefined) when.push(`and m.created_at < ${value(filter.to)}::timestamptz`)
  if (before !== undefined) {
    when.push(`and (m.created_at, m.id) < (${value(before.createdAt)}::timestamptz, ${value(before.id)}::bigint)`)
  }
  // Without a condition every message fits, and no more are looked at than are shown.
  const looked = value(fits.length > 1 ? EXAMINED_MAX : limit)
  const newest = `${when.join(' ')} order by m.created_at desc, m.id desc limit ${looked}`
  const from =
    filter.destination === undefined
      ? `select m.* from messages m where m.workspace_id = $1 ${newest}`
      : toPerson(value(filter.destination), newest)
  const shown = value(limit)
  const text = `with looked as materialized (${from}), examined as materialized (
      select m.workspace_id, m.id, m.created_at, ${fits.join(' and ')} as fits,
        row_number() over (order by m.created_at desc, m.id desc) as n
      from looked m left join emails e on ${OF_MESSAGE}
      order by m.created_at desc, m.id desc limit ${looked}
    ), fitting as (
      select * from examined where fits order by n limit ${shown}
    ), last as (
      select * from examined where (select count(*) from fitting) < ${shown} order by n desc limit 1
    )
    select ${EMAIL}, s.fits, s.n as examined
    from (select * from fitting union select * from last) s
    join messages m on m.workspace_id = s.workspace_id and m.id = s.id and m.created_at = s.created_at
    left join emails e on ${OF_MESSAGE} order by s.n`
  return { text, values }
}

/** Those of contacts that became part of theirs too: a second mail of one broadcast stays with the contact that it was sent to. */
function toPerson(destination: string, newest: string): string {
  const ofPerson = ofContact(`= any (array(
    with person as (select id from contacts where workspace_id = $1 and email = ${destination})
    select id from person
    union all select m.merged_id from person p join contact_merges m on m.workspace_id = $1 and m.survivor_id = p.id))`)
  return `(select m.* from messages m where m.workspace_id = $1 and ${ofPerson} ${newest})
    union (select m.* from messages m where m.workspace_id = $1 and m.source_id is null and m.destination = ${destination} ${newest})`
}
