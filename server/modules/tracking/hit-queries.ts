import type pg from 'pg'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import type { EventMessage } from '../sending/ledger/email-events.ts'
import { ORIGIN, personOf } from '../sending/message-source.ts'
import { COMPANY_MS, type HitFacts, type Verdict } from './judge-hit.ts'
import type { HitKind, RequestSignal } from './request-signals.ts'

/**
 * Hits of the picture or of one link of a message that are noted, however many there are. Those that were found to be machines'
 * have room of their own: a scanner that comes again and again must not keep a person's click from being noted.
 */
const HITS_PER_LINK_MAX = 20
const MACHINE_HITS_PER_LINK_MAX = 200

/** A request for the picture or a link of a message. */
export type Hit = {
  workspaceId: string
  messageId: string
  kind: HitKind
  link: number | null
  url: string | null
  ip: string | null
  userAgent: string | null
  signals: RequestSignal[]
}

/** With how long it has waited to be written. */
export type AgedHit = Hit & { ageMs: number }

/** The writer of hits, a UUID of the process, and the number of what it writes: a number never comes after a higher one. */
export type HitBatch = { writer: string; number: number }

const takeNumber = (writer: string, number: string) => `insert into hit_writers as w (writer, last_batch)
        values (${writer}, ${number})
        on conflict (writer) do update set last_batch = excluded.last_batch, written_at = now()
          where w.last_batch < excluded.last_batch
        returning writer`

/** Takes a batch's number so that it can never be stored any more; false when it was stored before. */
export async function claimNumber(sql: pg.Pool, { writer, number }: HitBatch): Promise<boolean> {
  const statement = { name: 'claim_hit_batch', text: takeNumber('$1', '$2'), values: [writer, number] }
  return (await queryInScope(sql, ALL_WORKSPACES, statement)).length === 1
}

/**
 * Stores hits of messages that are there and whose person was not erased, unless this batch was stored before: what is
 * still being committed under its number is waited for. Returns the workspaces that now have hits to judge. Times are the
 * database's.
 */
export async function insertHits(
  tx: Transaction,
  { writer, number }: HitBatch,
  hits: readonly AgedHit[],
): Promise<string[]> {
  const { rows } = await tx.query<{ workspaceId: string }>({
    name: 'insert_hits',
    text: `with turn as (${takeNumber('$11', '$12')}
      ), given as (
        select *, row_number() over (partition by workspace_id, message_id, kind, link order by n) as nth
        from unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::int8[], $6::text[], $7::text[], $8::text[], $9::text[])
          with ordinality as g(workspace_id, message_id, age_ms, kind, link, url, ip, user_agent, signals, n)
        where exists (select from turn)
      ), stored as (
        insert into message_hits (workspace_id, message_id, at, kind, link, url, ip, user_agent, signals)
        select g.workspace_id, g.message_id, now() - g.age_ms * interval '1 millisecond', g.kind, g.link, g.url,
          g.ip::inet, g.user_agent, string_to_array(g.signals, ' ')
        from given g
          cross join lateral (select count(*) filter (where h.verdict = 'machine') as of_machines, count(*) as total from message_hits h
            where h.workspace_id = g.workspace_id and h.message_id = g.message_id
              and h.kind = g.kind and h.link is not distinct from g.link) kept
        where exists (select from messages m
            where m.workspace_id = g.workspace_id and m.id = g.message_id and m.destination <> '')
          and g.nth + kept.total - least(kept.of_machines, $13) <= $10
        order by g.n
        returning workspace_id
      )
      select distinct workspace_id as "workspaceId" from stored order by 1`,
    values: [
      int8Array(hits.map(({ workspaceId }) => workspaceId)),
      int8Array(hits.map(({ messageId }) => messageId)),
      int8Array(hits.map(({ ageMs }) => String(ageMs))),
      textArray(hits.map(({ kind }) => kind)),
      int8Array(hits.map(({ link }) => link?.toString() ?? null)),
      textArray(hits.map(({ url }) => url)),
      textArray(hits.map(({ ip }) => ip)),
      textArray(hits.map(({ userAgent }) => userAgent)),
      textArray(hits.map(({ signals }) => signals.join(' '))),
      HITS_PER_LINK_MAX,
      ...[writer, number, MACHINE_HITS_PER_LINK_MAX],
    ],
  })
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Forgets the processes that have written nothing for thirty days: whatever they had to repeat, they have. */
export async function forgetHitWriters(pool: pg.Pool): Promise<void> {
  await deleteInSteps(pool, ALL_WORKSPACES, { from: 'hit_writers', where: `written_at < now() - interval '30 days'` })
}

export type HitRow = HitFacts &
  Omit<EventMessage, 'id' | 'destination'> & {
    id: string
    at: string
    url: string | null
    isDue: boolean
    /** Null when the message is no more, empty when its person was erased. */
    destination: string | null
  }

/**
 * The oldest hits of a workspace that wait to be judged and are old enough, at most `limit` of them (`isDue`), and what
 * else was asked for of the same messages around their time. The messages are held: an erasure comes before what is told of them, or
 * after it.
 */
export async function hitsToJudge(tx: Transaction, workspaceId: string, limit: number): Promise<HitRow[]> {
  const { rows } = await tx.query<HitRow>({
    name: 'hits_to_judge',
    text: `with due as materialized (
        select message_id, id, at from message_hits
        where workspace_id = $1 and verdict is null and at <= now() - $3 * interval '1 millisecond'
        order by at, id limit $2 for update
      ), touched as materialized (
        select message_id, min(at) as first_at, max(at) as last_at from due group by message_id
      ), held as materialized (
        select m.* from touched t join messages m on m.workspace_id = $1 and m.id = t.message_id
        order by m.id for no key update of m
      )
      select h.id, h.at, h.message_id as "messageId", h.kind, h.link, h.url, host(h.ip) as ip, h.signals,
        extract(epoch from h.at)::float8 * 1000 as "atMs", extract(epoch from m.settled_at)::float8 * 1000 as "deliveredMs",
        exists (select from due where due.message_id = h.message_id and due.id = h.id) as "isDue",
        h.workspace_id as "workspaceId", ${ORIGIN}, ${personOf()} as "contactId", m.destination
      from touched t
        join message_hits h on h.workspace_id = $1 and h.message_id = t.message_id
          and h.at between t.first_at - $3 * interval '1 millisecond' and t.last_at + $3 * interval '1 millisecond'
        left join held m on m.id = t.message_id
      order by h.at, h.id`,
    values: [workspaceId, limit, COMPANY_MS],
  })
  return rows
}

/** Milliseconds until the oldest hit that waits to be judged is old enough, 0 when it is; null when none waits. */
export async function nextHitInMs(tx: Transaction, workspaceId: string): Promise<number | null> {
  const { rows } = await tx.query<{ inMs: number | null }>({
    name: 'next_hit_to_judge',
    text: `select case when min(at) is not null then greatest(0, extract(epoch from min(at) - now()) * 1000 + $2) end::float8 as "inMs"
      from message_hits where workspace_id = $1 and verdict is null`,
    values: [workspaceId, COMPANY_MS],
  })
  return rows[0]?.inMs ?? null
}

export type JudgedHit = { messageId: string; id: string; verdict: Verdict }

/** Notes the verdicts, and adds the hits of broadcasts to their totals, and what machines did to its quarter of an hour. */
export async function storeVerdicts(tx: Transaction, workspaceId: string, hits: readonly JudgedHit[]): Promise<void> {
  await tx.query({
    name: 'store_verdicts',
    text: `with given as materialized (
        select * from unnest($2::int8[], $3::int8[], $4::text[]) as g(message_id, id, verdict)
      ), judged as (
        update message_hits h set verdict = g.verdict from given g
        where h.workspace_id = $1 and h.message_id = g.message_id and h.id = g.id
        returning h.message_id, h.kind, h.link, h.url, h.verdict, h.id, h.at
      ), by_machines as (
        -- Messages, each in the quarter of an hour of the first hit of the kind that was a machine's.
        select m.source_kind, m.source_id, j.kind, j.message_id, date_bin('15 minutes', min(j.at), 'epoch') as hour
        from judged j join messages m on m.workspace_id = $1 and m.id = j.message_id and m.source_kind <> 'test'
        where j.verdict = 'machine' and not exists (select from message_hits p where p.workspace_id = $1
          and p.message_id = j.message_id and p.kind = j.kind and p.verdict = 'machine')
        group by 1, 2, 3, 4
      ), by_hour as (
        insert into hit_hours as t (workspace_id, about, hour, kind, machine_messages)
        select $1, about, hour, kind, count(*)
        from by_machines cross join lateral unnest(array['',
          case when source_kind = 'broadcast' then 'broadcast ' || source_id end]) as about
        where about is not null group by about, hour, kind order by about, hour, kind
        on conflict (workspace_id, about, hour, kind) do update
          set machine_messages = t.machine_messages + excluded.machine_messages
      ), placed as (
        select m.source_id as broadcast_id, j.message_id, j.kind, place.link, j.url, j.verdict, j.id,
          -- Hits judged before this statement: the same kind of hit of the same message, at this link or at any.
          not exists (select from message_hits p where p.workspace_id = $1 and p.message_id = j.message_id
            and p.kind = j.kind and p.verdict = j.verdict and place.link in (-1, p.link)) as is_new
        from judged j
          join messages m on m.workspace_id = $1 and m.id = j.message_id and m.source_kind = 'broadcast'
          cross join lateral (select -1 as link union all select j.link where j.link is not null) place
      )
      insert into hit_totals as t
        (workspace_id, broadcast_id, kind, link, url, human_hits, machine_hits, human_messages, machine_messages)
      select $1, broadcast_id, kind, link, case when link >= 0 then (array_agg(url order by id desc))[1] end,
        count(*) filter (where verdict = 'human'), count(*) filter (where verdict = 'machine'),
        count(distinct message_id) filter (where verdict = 'human' and is_new),
        count(distinct message_id) filter (where verdict = 'machine' and is_new)
      from placed group by broadcast_id, kind, link
      on conflict (workspace_id, broadcast_id, kind, link) do update set
        url = coalesce(excluded.url, t.url),
        human_hits = t.human_hits + excluded.human_hits,
        machine_hits = t.machine_hits + excluded.machine_hits,
        human_messages = t.human_messages + excluded.human_messages,
        machine_messages = t.machine_messages + excluded.machine_messages`,
    values: [
      workspaceId,
      int8Array(hits.map(({ messageId }) => messageId)),
      int8Array(hits.map(({ id }) => id)),
      textArray(hits.map(({ verdict }) => verdict)),
    ],
  })
}
