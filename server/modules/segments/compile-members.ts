import { sql } from 'kysely'
import { int8Array } from '../../platform/db/arrays.ts'
import { allOf, anyOf, cast, compileComparison, compilePresence, type Place, type Sql } from './compile-comparison.ts'
import type { Condition, Performed, Subject } from './conditions.ts'
import { provenTo } from './event-proof.ts'
import { type IdRange, inRange } from './id-range.ts'

/**
 * The ids of the contacts for whom a condition holds, as a sub-query of one column `id`: `c.id in (…)`, or
 * `insert into … select id from (…)`. Every table in it is held to the workspace.
 *
 * A `range` keeps it to contacts of some ids, in each of its sets.
 *
 * A question about tags or events becomes a set of contact ids, joined from the left: "is in the set" is then a test
 * like any other, and stays one below `or` and `not`. Where it stands by itself the planner turns such a join into an
 * inner or an anti join and begins with the smallest set. `exists` below an `or` would be a sub-plan of its own, made by
 * each parallel worker, or looked up for each contact in turn when it does not fit in memory (docs/adr/0008).
 */
export function compileMembers(workspaceId: string, condition: Condition, range: IdRange | null = null): Sql {
  const compiling: Compiling = { workspace: cast(workspaceId, 'bigint'), range, joins: [] }
  const predicate = compile(compiling, condition, { negated: false, alone: true })
  const joins = compiling.joins.length === 0 ? sql`` : sql.join(compiling.joins, sql` `)
  return sql`select c.id from contacts c ${joins} where c.workspace_id = ${compiling.workspace}
    and ${inRange('c.id', range)} and ${predicate}`
}

type Compiling = { workspace: Sql; range: IdRange | null; joins: Sql[] }

/** `negated`: below an odd number of nots. `alone`: nothing but `and` stands above, so that it must hold by itself. */
type Position = { negated: boolean; alone: boolean }

/**
 * Negation goes down to the single test. Above it there is only `and` and `or`, for which null is as good as false; the
 * test itself is negated by `is not true`, so that who lacks the value is in the opposite.
 */
function compile(compiling: Compiling, condition: Condition, position: Position): Sql {
  const { negated, alone } = position
  switch (condition.kind) {
    case 'not':
      return compile(compiling, condition.of, { negated: !negated, alone })
    case 'all':
    case 'any': {
      // The server goes through them in this order, and stops at the first that decides.
      const cheapFirst = condition.of.toSorted((one, other) => weightOf(one) - weightOf(other))
      const isAny = (condition.kind === 'all') === negated
      const below = { negated, alone: alone && (!isAny || cheapFirst.length === 1) }
      const parts = cheapFirst.map((part) => compile(compiling, part, below))
      return isAny ? anyOf(parts) : allOf(parts)
    }
    case 'present':
      return test(compilePresence(placeOf(condition.subject)), negated)
    case 'compares':
      return test(compileComparison(placeOf(condition.subject), condition.comparison), negated)
    case 'tagged':
      if (condition.tagIds.length === 0) return negated ? sql`true` : sql`false`
      return inSet(compiling, taggedSet(compiling, condition.tagIds), negated)
    case 'subscribed':
      return inSet(compiling, subscribedSet(compiling, condition.topicIds), negated)
    case 'performed':
      if (alone && condition.min === 1 && condition.max === null) return everPerformed(compiling, condition, negated)
      return inSet(compiling, performedSet(compiling, condition), negated)
  }
}

/** About what a condition costs per contact, once the sets are made: a look into JSON several times one at a column. */
function weightOf(condition: Condition): number {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.reduce((sum, part) => sum + weightOf(part), 0)
    case 'not':
      return weightOf(condition.of)
    case 'tagged':
    case 'subscribed':
    case 'performed':
      return 1
    case 'present':
    case 'compares':
      return 'column' in condition.subject ? 2 : 8
  }
}

function test(holds: Sql, negated: boolean): Sql {
  return negated ? sql`(${holds}) is not true` : sql`(${holds})`
}

function placeOf(subject: Subject): Place {
  if ('column' in subject) return { column: sql.ref(`c.${subject.column}`) }
  return { json: sql`c.custom_fields`, keys: subject.custom }
}

function inSet(compiling: Compiling, set: Sql, negated: boolean): Sql {
  const name = `s${compiling.joins.length + 1}`
  const contactId = sql.ref(`${name}.contact_id`)
  compiling.joins.push(sql`left join (${set}) as ${sql.ref(name)} on ${contactId} = c.id`)
  return negated ? sql`${contactId} is null` : sql`${contactId} is not null`
}

/** One tag's contacts are unique by the key; those of several may repeat. */
function taggedSet({ workspace, range }: Compiling, tagIds: readonly string[]): Sql {
  const [only] = tagIds
  if (only !== undefined && tagIds.length === 1) {
    return sql`select contact_id from contact_tags where workspace_id = ${workspace} and tag_id = ${cast(only, 'bigint')}
      and ${inRange('contact_id', range)}`
  }
  const ids = sql`cast(${int8Array(tagIds)} as bigint[])`
  return sql`select contact_id from contact_tags where workspace_id = ${workspace} and tag_id = any (${ids})
    and ${inRange('contact_id', range)} group by contact_id`
}

/** Topics that are being deleted still have everybody's yes. */
function subscribedSet({ workspace, range }: Compiling, topicIds: readonly string[]): Sql {
  const topics = sql`array(select t.id from topics t where t.workspace_id = ${workspace}
    and t.id = any (cast(${int8Array(topicIds)} as bigint[])) and t.deleted_at is null)`
  return sql`select contact_id from topic_subscriptions where workspace_id = ${workspace}
    and topic_id = any (${topics}) and ${inRange('contact_id', range)} group by contact_id`
}

/**
 * Whether there is such an event at all: a semi or an anti join, for which nobody's events need to be gathered into one
 * row. Of four million events of a million contacts: 6.7 s, against more than 25 s, on a machine with eight times its load.
 */
function everPerformed(compiling: Compiling, performed: Performed, negated: boolean): Sql {
  const events = sql`from events e where ${eventsOf(compiling, performed)}`
  return negated
    ? sql`not exists (select ${events} and e.contact_id = c.id)`
    : sql`c.id in (select e.contact_id ${events})`
}

function performedSet(compiling: Compiling, performed: Performed): Sql {
  const { min, max } = performed
  const counts = [
    ...(min > 1 ? [sql`count(*) >= ${cast(String(min), 'bigint')}`] : []),
    ...(max === null ? [] : [sql`count(*) <= ${cast(String(max), 'bigint')}`]),
  ]
  const having = counts.length === 0 ? sql`` : sql`having ${allOf(counts)}`
  return sql`select e.contact_id from events e where ${eventsOf(compiling, performed)} group by e.contact_id ${having}`
}

function eventsOf({ workspace, range }: Compiling, { name, from, until, where, minProof }: Performed): Sql {
  return allOf([
    sql`e.workspace_id = ${workspace}`,
    sql`e.name = ${cast(name, 'text')}`,
    sql`e.contact_id is not null`,
    ...(range === null ? [] : [inRange('e.contact_id', range)]),
    ...(from === null ? [] : [sql`e.occurred_at >= ${cast(from, 'timestamptz')}`]),
    ...(until === null ? [] : [sql`e.occurred_at < ${cast(until, 'timestamptz')}`]),
    ...(minProof === undefined ? [] : [provenTo(minProof)]),
    ...where.map((one) => {
      const place = { json: sql`e.data`, keys: [one.property] }
      if ('comparison' in one) return sql`(${compileComparison(place, one.comparison)})`
      return test(compilePresence(place), !one.present)
    }),
  ])
}
