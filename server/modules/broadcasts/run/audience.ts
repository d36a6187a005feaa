import { type RawBuilder, sql } from 'kysely'
import { unprocessable } from '../../../catalogue/problems.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type IdRange, inRange } from '../../segments/id-range.ts'
import { segmentMembers } from '../../segments/segment-members.ts'
import { refusalForecast } from '../../sending/ledger/forecast-refusals.ts'
import { PLANNED_MAX } from '../../sending/ledger/plan-messages.ts'
import type { BroadcastContent, BroadcastKey } from '../queries.ts'

type Sql = RawBuilder<unknown>
export type Audience = Pick<BroadcastContent, 'segmentIds' | 'excludedSegmentIds'>
export type LocalTime = { localTime: string | null; localTimeZone: string | null }

const build = createQueryBuilder<Record<string, never>>()

/**
 * The ids of an audience, each once, as a sub-query of one column `id`. Throws 422 for a segment that is not there, or
 * whose definition holds no longer.
 */
async function membersOf(
  tx: Transaction,
  workspaceId: string,
  { stretch = null, ...audience }: Audience & { stretch?: IdRange | null },
): Promise<Sql> {
  const everyone = sql`select c.id from contacts c
    where c.workspace_id = cast(${workspaceId} as bigint) and c.email is not null and ${inRange('c.id', stretch)}`
  const setsOf = (ids: readonly string[], field: string) =>
    Promise.all(ids.map((id, n) => segmentSet(tx, workspaceId, { id, stretch, pointer: `/${field}/${n}` })))
  const included = await setsOf(audience.segmentIds, 'segmentIds')
  const excluded = await setsOf(audience.excludedSegmentIds, 'excludedSegmentIds')
  const base = included.length === 0 ? everyone : sql.join(included.map(inBrackets), sql` union `)
  if (excluded.length === 0) return base
  return sql`(${base}) except (${sql.join(excluded.map(inBrackets), sql` union all `)})`
}

const inBrackets = (set: Sql) => sql`(${set})`

async function segmentSet(
  tx: Transaction,
  workspaceId: string,
  { id, stretch, pointer }: { id: string; stretch: IdRange | null; pointer: string },
): Promise<Sql> {
  const members = await segmentMembers(tx, workspaceId, { id, range: stretch })
  if (!members) throw unprocessable([{ pointer, detail: 'is not a segment of this workspace' }])
  return members as Sql
}

export type Freezing = Audience & LocalTime & { stretch: IdRange | null }

/**
 * Writes the audience, or a stretch of it, down as it is now, in one statement behind the chunks that there are: chunks of
 * contacts that are due at the same time, the earliest first. A chunk is one row: freezing a million contacts writes a
 * hundred of them. Returns how many contacts they have.
 */
export async function freezeAudience(tx: Transaction, key: BroadcastKey, given: Freezing): Promise<number> {
  const members = await membersOf(tx, key.workspaceId, given)
  const frozen = sql`insert into broadcast_chunks (workspace_id, broadcast_id, number, due_at, contact_ids)
    select cast(${key.workspaceId} as bigint), cast(${key.id} as bigint),
      row_number() over (order by due_at nulls first, part) + (
        select coalesce(max(number), -1) from broadcast_chunks
        where workspace_id = cast(${key.workspaceId} as bigint) and broadcast_id = cast(${key.id} as bigint)), due_at, array_agg(id order by id)
    from (
      select id, due_at, (row_number() over (partition by due_at order by id) - 1) / ${sql.lit(PLANNED_MAX)} as part
      from (${withDueTimes(key.workspaceId, members, given)}) due
    ) numbered
    group by due_at, part
    on conflict do nothing returning cardinality(contact_ids) as size`
  const { rows } = await tx.query<{ size: number }>(statementOf({ compile: () => frozen.compile(build) }))
  return rows.reduce((sum, { size }) => sum + size, 0)
}

/** A zone that PostgreSQL does not know is as good as none. */
function withDueTimes(workspaceId: string, members: Sql, { localTime, localTimeZone }: LocalTime): Sql {
  if (localTime === null || localTimeZone === null) {
    return sql`select member.id, cast(null as timestamptz) as due_at from (${members}) member`
  }
  const local = sql`cast(${localTime} as timestamp)`
  return sql`select member.id, coalesce(zone.due_at, ${local} at time zone cast(${localTimeZone} as text)) as due_at
    from (${members}) member
    join contacts c on c.workspace_id = cast(${workspaceId} as bigint) and c.id = member.id
    left join (
      select lower(name) as name, min(${local} at time zone name) as due_at from pg_timezone_names group by 1
    ) zone on zone.name = lower(c.time_zone)`
}

export type RefusalCount = { refusal: string | null; count: string }

/** How many contacts an audience has now, by why they would not be mailed; null: they would. Throws 422 as `freezeAudience`. */
export async function forecastAudience(
  tx: Transaction,
  workspaceId: string,
  { timeoutMs, topicId, ...audience }: Audience & { topicId: string | null; timeoutMs: number },
): Promise<RefusalCount[]> {
  const forecast = refusalForecast(workspaceId, await membersOf(tx, workspaceId, audience), topicId)
  const counting = statementOf({ compile: () => forecast.compile(build) })
  const { rows } = await withQueryTimeout(tx, timeoutMs).query<RefusalCount>(counting)
  return rows
}

/** Addresses of the first contacts of an audience, ascending by id. */
export async function firstAddresses(
  tx: Transaction,
  workspaceId: string,
  { limit, ...audience }: Audience & { limit: number },
): Promise<string[]> {
  const members = await membersOf(tx, workspaceId, audience)
  const first = sql`select c.email from (${members}) member
    join contacts c on c.workspace_id = cast(${workspaceId} as bigint) and c.id = member.id
    where c.email is not null order by c.id limit ${limit}`
  const { rows } = await tx.query<{ email: string }>(statementOf({ compile: () => first.compile(build) }))
  return rows.map(({ email }) => email)
}

/** How many contacts an audience has now. Throws 422 as `freezeAudience`. */
export async function countAudience(
  tx: Transaction,
  workspaceId: string,
  { timeoutMs, ...audience }: Audience & { timeoutMs: number },
): Promise<number> {
  const members = await membersOf(tx, workspaceId, audience)
  const count = sql`select count(*) as count from (${members}) member`
  const counting = statementOf({ compile: () => count.compile(build) })
  const { rows } = await withQueryTimeout(tx, timeoutMs).query<{ count: string }>(counting)
  return Number(rows[0]?.count ?? 0)
}
