import { type RawBuilder, sql } from 'kysely'
import { textArray } from '../../platform/db/arrays.ts'
import type { Comparison, DaysOfYear, Match, Moment, TextMatch, ValueType } from './conditions.ts'

/** An expression of SQL. Values of callers are parameters in it, never part of its text. */
export type Sql = RawBuilder<unknown>

/** Where a value stands in the row: a column of that type, or the first of these keys that a JSON object has. */
export type Place = { column: Sql } | { json: Sql; keys: readonly string[] }

/** Whether the row has a value there, of whatever type. */
export function compilePresence(place: Place): Sql {
  return sql`(${'column' in place ? place.column : textAt(place)}) is not null`
}

/**
 * True where the comparison holds; false or null where it does not, or where there is no value of its type. No value of
 * a row can make it fail: a cast stands behind the check that the value fits.
 */
export function compileComparison(place: Place, comparison: Comparison): Sql {
  const value = valueAt(place, comparison.type)
  const holds = compileMatch(value, place, comparison)
  return comparison.negated ? sql`not (${holds})` : holds
}

function compileMatch(value: Sql, place: Place, comparison: Comparison): Sql {
  switch (comparison.type) {
    case 'text':
      return compileText(value, place, comparison.match)
    case 'number':
      return compileOrdered(value, comparison.match, 'numeric')
    case 'boolean':
      return sql`${value} = ${cast(String(comparison.match.value), 'boolean')}`
    case 'time':
      return comparison.match.is === 'dayOfYear'
        ? compileDay(place, comparison.match)
        : compileTime(value, comparison.match)
  }
}

/** The value as its type, or null where it is missing or of another type. */
function valueAt(place: Place, type: ValueType): Sql {
  if ('column' in place) return place.column
  const [json, text] = [jsonAt(place), textAt(place)]
  switch (type) {
    case 'text':
      return sql`case when jsonb_typeof(${json}) in ('string', 'number', 'boolean') then ${text} end`
    case 'number':
      return sql`case when jsonb_typeof(${json}) = 'number' then (${json})::numeric end`
    case 'boolean':
      return sql`case when jsonb_typeof(${json}) = 'boolean' then (${json})::boolean end`
    case 'time':
      return sql`case when ${text} ~ ${sql.lit(TIMESTAMP)} then (${text})::timestamptz end`
  }
}

type InJson = Extract<Place, { json: Sql }>
const jsonAt = ({ json, keys }: InJson) => firstOf(keys.map((key) => sql`${json} -> ${cast(key, 'text')}`))
const textAt = ({ json, keys }: InJson) => firstOf(keys.map((key) => sql`${json} ->> ${cast(key, 'text')}`))

function firstOf(values: readonly Sql[]): Sql {
  return values.length === 1 ? sql`${values[0]}` : sql`coalesce(${sql.join(values)})`
}

/** Every text it accepts is one that PostgreSQL casts: RFC 3339, or a date, of a day that exists, from the year 1000. */
const TIMESTAMP = (() => {
  const century = '[1-9]\\d'
  const leapYear = `(?:${century}(?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)`
  const months =
    '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])'
  const day = `(?:${century}\\d\\d-(?:${months})|${leapYear}-02-29)`
  const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-](?:0\\d|1[0-4]):[0-5]\\d)'
  return `^${day}(?:[Tt ]${time})?$`
})()

const DAY_OF_YEAR = '^(?:\\d{4}-|--)(\\d{2}-\\d{2})(?:$|[T ])'

function compileText(value: Sql, place: Place, match: Match<string> | TextMatch): Sql {
  switch (match.is) {
    case 'contains': {
      const within = sql`strpos(lower(${value}), lower(${cast(match.value, 'text')})) > 0`
      if ('column' in place) return within
      // Of a list, one of its texts.
      const json = jsonAt(place)
      return sql`case when jsonb_typeof(${json}) = 'array' then ${json} ? ${cast(match.value, 'text')} else ${within} end`
    }
    case 'beginsWith':
      return sql`starts_with(${value}, ${cast(match.value, 'text')})`
    case 'endsWith':
      return sql`right(${value}, ${cast(String([...match.value].length), 'integer')}) = ${cast(match.value, 'text')}`
    default:
      return compileOrdered(value, match, 'text')
  }
}

/** Text is compared by its characters' code points, the same on every system. */
function compileOrdered(value: Sql, match: Match<string>, type: 'text' | 'numeric'): Sql {
  const ordered = type === 'text' ? sql`(${value}) collate "C"` : value
  switch (match.is) {
    case 'equal':
      return sql`${value} = ${cast(match.value, type)}`
    case 'below':
      return sql`${ordered} ${match.orEqual ? sql`<=` : sql`<`} ${cast(match.value, type)}`
    case 'above':
      return sql`${ordered} ${match.orEqual ? sql`>=` : sql`>`} ${cast(match.value, type)}`
    case 'between': {
      // Constants to the planner, which `between symmetric` would compare for each row.
      const collation = type === 'text' ? sql` collate "C"` : sql``
      const ends = sql`${cast(match.low, type)}${collation}, ${cast(match.high, type)}${collation}`
      return sql`${ordered} between least(${ends}) and greatest(${ends})`
    }
    case 'oneOf': {
      const list = sql`cast(${textArray(match.values)} as text[])`
      return sql`${value} = any (${type === 'text' ? list : sql`cast(${list} as numeric[])`})`
    }
  }
}

/** Month and day of a day or a moment as it is written, in UTC; of a birthday without a year too. */
function compileDay(place: Place, { values }: DaysOfYear): Sql {
  const text = 'column' in place ? sql`to_char(${place.column} at time zone 'UTC', 'YYYY-MM-DD')` : textAt(place)
  const written = sql`substring(${text} from ${sql.lit(DAY_OF_YEAR)})`
  return sql`${written} = any (cast(${textArray(values)} as text[]))`
}

/** A day stands for all its moments: before it is before the first, after it is after the last. */
function compileTime(value: Sql, match: Match<Moment>): Sql {
  const at = (time: string) => cast(time, 'timestamptz')
  const upTo = ({ from, until }: Moment) =>
    until === null ? sql`${value} <= ${at(from)}` : sql`${value} < ${at(until)}`
  const beyond = ({ from, until }: Moment) =>
    until === null ? sql`${value} > ${at(from)}` : sql`${value} >= ${at(until)}`
  switch (match.is) {
    case 'equal':
      return sql`(${value} >= ${at(match.value.from)} and ${upTo(match.value)})`
    case 'below':
      return match.orEqual ? upTo(match.value) : sql`${value} < ${at(match.value.from)}`
    case 'above':
      return match.orEqual ? sql`${value} >= ${at(match.value.from)}` : beyond(match.value)
    case 'between':
      return sql`(${value} >= ${at(match.low.from)} and ${upTo(match.high)})`
    case 'oneOf':
      return anyOf(match.values.map((moment) => compileTime(value, { is: 'equal', value: moment })))
  }
}

/** A parameter of that type. */
export function cast(value: string, type: 'text' | 'numeric' | 'boolean' | 'integer' | 'bigint' | 'timestamptz'): Sql {
  return sql`cast(${value} as ${sql.raw(type)})`
}

export function anyOf(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? sql`false` : sql`(${sql.join(parts, sql` or `)})`
}

export function allOf(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? sql`true` : sql`(${sql.join(parts, sql` and `)})`
}
