import { type RawBuilder, sql } from 'kysely'
import { unprocessable } from '../../../catalogue/problems.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { segmentMembers } from '../../segments/segment-members.ts'
import { PLANNED_MAX } from '../../sending/ledger/plan-messages.ts'
import type { BroadcastContent, BroadcastKey } from '../queries.ts'

type Sql = RawBuilder<unknown>
export type Audience = Pick<BroadcastContent, 'segmentIds' | 'excludedSegmentIds'>
export type LocalTime = { localTime: string | null; localTimeZone: string | null }

/** Millions of contacts, or a segment over their events. The server's own limit is below it. */
const FREEZE_TIMEOUT_MS = 59_000

const build = createQueryBuilder<Record<string, never>>()

/**
 * The ids of an audience, each once, as a sub-query of one column `id`. Throws 422 for a segment that is not there, or
 * whose definition holds no longer.
 */
async function membersOf(tx: Transaction, workspaceId: string, audience: Audience): Promise<Sql> {
  const everyone = sql`select c.id from contacts c
    where c.workspace_id = cast(${workspaceId} as bigint) and c.email is not null`
  const setsOf = (ids: readonly string[], field: string) =>
    Promise.all(ids.map((id, n) => segmentSet(tx, workspaceId, { id, pointer: `/${field}/${n}` })))
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
  { id, pointer }: { id: string; pointer: string },
): Promise<Sql> {
  const members = await segmentMembers(tx, workspaceId, id)
  if (!members) throw unprocessable([{ pointer, detail: 'is not a segment of this workspace' }])
  return members as Sql
}

/**
 * Writes the audience down as it is now, in one statement: chunks of contacts that are due at the same time, the earliest
 * first. A chunk is one row: freezing a million contacts writes a hundred of them.
 */
export async function freezeAudience(tx: Transaction, key: BroadcastKey, given: Audience & LocalTime): Promise<void> {
  const members = await membersOf(tx, key.workspaceId, given)
  const frozen = sql`insert into broadcast_chunks (workspace_id, broadcast_id, number, due_at, contact_ids)
    select cast(${key.workspaceId} as bigint), cast(${key.id} as bigint),
      row_number() over (order by due_at nulls first, part) - 1, due_at, array_agg(id order by id)
    from (
      select id, due_at, (row_number() over (partition by due_at order by id) - 1) / ${sql.lit(PLANNED_MAX)} as part
      from (${withDueTimes(key.workspaceId, members, given)}) due
    ) numbered
    group by due_at, part
    on conflict do nothing`
  await withQueryTimeout(tx, FREEZE_TIMEOUT_MS).query(statementOf({ compile: () => frozen.compile(build) }))
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
