import { sql } from 'kysely'
import type { Proof } from '../../../catalogue/proofs.ts'
import { int8Array } from '../../../platform/db/arrays.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { allOf, compileComparison, compilePresence, type Sql } from '../../segments/compile-comparison.ts'
import { provenTo } from '../../segments/event-proof.ts'
import { readPropertyTests } from '../../segments/read-event-rule.ts'
import type { Where } from '../definition/definition.ts'

const build = createQueryBuilder<Record<string, never>>()

/** Events of a workspace by their positions; `from` is not later than the first of them was recorded. */
export type EventIds = { positions: readonly string[]; from: string }

/**
 * The events that pass a filter on their properties, as segments would decide, and are proven as well as `minProof` asks. `now` is what "the last days" count back
 * from.
 */
export async function eventsPassing(
  tx: Transaction,
  workspaceId: string,
  { positions, from, where, minProof, notExcept, now }: EventIds & Filter & { now: string },
): Promise<ReadonlySet<string>> {
  if (positions.length === 0) return new Set()
  if (where.length === 0 && minProof === undefined && notExcept === undefined) return new Set(positions)
  const query = sql`select e.id from events e where e.workspace_id = cast(${workspaceId} as bigint)
    and e.id = any (cast(${int8Array(positions)} as bigint[])) and e.recorded_at >= cast(${from} as timestamptz)
    and ${conditionsOf({ where, minProof, notExcept }, now)}`
  const { rows } = await tx.query<{ id: string }>(statementOf({ compile: () => query.compile(build) }))
  return new Set(rows.map(({ id }) => id))
}

/** `notExcept`: what the event's property `except` must not name. */
type Filter = { where: Where; minProof?: Proof | undefined; notExcept?: string | undefined }

/** The same of an event `e`, as a condition. */
export function conditionsOf({ where, minProof, notExcept }: Filter, now: string): Sql {
  const tests = readPropertyTests(where, now).map((one) => {
    const place = { json: sql`e.data`, keys: [one.property] }
    if ('comparison' in one) return sql`(${compileComparison(place, one.comparison)}) is true`
    const present = compilePresence(place)
    return one.present ? sql`(${present})` : sql`not (${present})`
  })
  return allOf([
    ...(minProof === undefined ? [] : [provenTo(minProof)]),
    ...tests,
    ...(notExcept === undefined ? [] : [sql`e.data ->> 'except' is distinct from cast(${notExcept} as text)`]),
  ])
}
