import type { Person, World } from './world.ts'

/*
 * Members of a definition, as plainly as it can be said: for each person, go through the rules. Written from the
 * guide (docs/guides/segments.md), it shares nothing with the compiler.
 */

type Node = Record<string, unknown>
const DAY_MS = 86_400_000

export function naiveMembers(world: World, definition: string): string[] {
  return world.people.filter((person) => belongs(world, person, definition)).map((person) => person.id)
}

function belongs(world: World, person: Person, definition: string): boolean {
  return definition.trim() === '' || groupHolds(world, person, JSON.parse(definition))
}

function groupHolds(world: World, person: Person, group: Node): boolean {
  const rules = (group.rules as Node[]).filter((node) => node.muted !== true)
  const holds = (node: Node) => ('rules' in node ? groupHolds(world, person, node) : ruleHolds(world, person, node))
  const joined = rules.length === 0 || (group.combinator === 'or' ? rules.some(holds) : rules.every(holds))
  return group.not === true ? !joined : joined
}

function ruleHolds(world: World, person: Person, { field, operator, value }: Node): boolean {
  const [name, op] = [String(field), String(operator)]
  const negative = ['doesNotHave', '!=', 'notIn'].includes(op)
  if (name === 'tag') {
    const wanted = listOf(op, value).map((one) => one.toLowerCase())
    return person.tags.some((tag) => wanted.includes(tag.toLowerCase())) !== negative
  }
  if (name === 'segment') {
    const referred = listOf(op, value).map((id) => world.segments.find((segment) => segment.id === id))
    return referred.some((segment) => belongs(world, person, segment?.definition ?? '')) !== negative
  }
  if (name.startsWith('event:')) return eventHolds(world, person, name.slice(6), { op, value }) === (op === 'performed')
  if (name.startsWith('custom:')) {
    const key = name.slice(7)
    return valueHolds(world, person.custom[key], { type: world.fieldTypes[key] ?? 'string', op, value, isList: true })
  }
  const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const type = column.endsWith('_at') ? 'datetime' : 'string'
  const wanted = column === 'email' ? lowered(value) : value
  return valueHolds(world, person.columns[column], { type, op, value: wanted, isList: false })
}

function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered)
  return typeof value === 'string' ? value.toLowerCase() : value
}

function listOf(op: string, value: unknown): string[] {
  if (op !== 'in' && op !== 'notIn') return [String(value)]
  return Array.isArray(value) ? value.map(String) : String(value).split(',')
}

function eventHolds(world: World, person: Person, name: string, { value }: { op: string; value: unknown }): boolean {
  const asked: Node = typeof value === 'object' ? (value as Node) : asObject(String(value))
  const days = asked.withinLastDays === undefined ? undefined : Number(asked.withinLastDays)
  const since = days === undefined ? undefined : Date.parse(world.now) - days * DAY_MS
  const from = asked.from === undefined ? since : Date.parse(String(asked.from))
  const to = asked.to === undefined ? undefined : endOf(String(asked.to))
  const times = person.events.filter((event) => {
    const at = Date.parse(event.at)
    if (event.name !== name || (from !== undefined && at < from) || (to !== undefined && at >= to)) return false
    return ((asked.where ?? []) as Node[]).every((test) => propertyHolds(world, event.data, test))
  }).length
  if (asked.exactly !== undefined) return times === Number(asked.exactly)
  const least = asked.atLeast === undefined ? (asked.atMost === undefined ? 1 : 0) : Number(asked.atLeast)
  return times >= least && times <= Number(asked.atMost ?? Number.POSITIVE_INFINITY)
}

function asObject(text: string): Node {
  if (text.startsWith('{')) return JSON.parse(text)
  return Number(text) === 0 ? {} : { withinLastDays: text }
}

function endOf(text: string): number {
  return Date.parse(text) + (text.length === 10 ? DAY_MS : 0)
}

function propertyHolds(world: World, data: Record<string, unknown>, test: Node): boolean {
  const { property, operator, value } = test
  const op = String(operator)
  const values = Array.isArray(value) ? value : String(value).split(',')
  const ordered = ['<', '<=', '>', '>=', 'between', 'notBetween'].includes(op)
  let type = 'string'
  if (/before|after|LastDays/.test(op)) type = 'datetime'
  else if (typeof value === 'boolean') type = 'boolean'
  else if (Array.isArray(value) ? value.every((one) => typeof one === 'number') : typeof value === 'number') {
    type = 'number'
  } else if (ordered && values.every((one) => String(one).trim() !== '' && !Number.isNaN(Number(one)))) type = 'number'
  return valueHolds(world, data[String(property)], { type, op, value, isList: true })
}

type Asked = { type: string; op: string; value: unknown; isList: boolean }

const OPPOSITES: Record<string, string> = {
  '!=': '=',
  notIn: 'in',
  notBetween: 'between',
  doesNotContain: 'contains',
  doesNotBeginWith: 'beginsWith',
  doesNotEndWith: 'endsWith',
  notWithinLastDays: 'withinLastDays',
}

function valueHolds(world: World, held: unknown, asked: Asked): boolean {
  if (asked.op === 'null') return held === undefined || held === null
  if (asked.op === 'notNull') return held !== undefined && held !== null
  const opposite = OPPOSITES[asked.op]
  const op = opposite ?? asked.op
  if (asked.isList && asked.type === 'string' && op === 'contains' && Array.isArray(held)) {
    return held.includes(asked.value) !== (opposite !== undefined)
  }
  const typed = typedValue(held, asked.type)
  if (typed === undefined) return false
  return matches(world, typed, { ...asked, op }) !== (opposite !== undefined)
}

function typedValue(held: unknown, type: string): string | number | boolean | undefined {
  if (type === 'string') return ['string', 'number', 'boolean'].includes(typeof held) ? String(held) : undefined
  if (type === 'datetime') return typeof held === 'string' ? momentOf(held) : undefined
  return (typeof held === type ? held : undefined) as number | boolean | undefined
}

/** Milliseconds since 1970, or undefined for text that names no moment. */
function momentOf(text: string): number | undefined {
  const [, date = '', clock = 'T00:00:00Z'] = /^(\d{4}-\d\d-\d\d)([T ].+(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const day = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined
  const at = Date.parse(date + clock)
  return Number.isNaN(at) ? undefined : at
}

function matches(world: World, held: string | number | boolean, { type, op, value }: Asked): boolean {
  if (op === 'withinLastDays') {
    const now = Date.parse(world.now)
    return (held as number) >= now - Number(value) * DAY_MS && (held as number) <= now
  }
  if (op === 'contains') return String(held).toLowerCase().includes(String(value).toLowerCase())
  if (op === 'beginsWith') return String(held).startsWith(String(value))
  if (op === 'endsWith') return String(held).endsWith(String(value))
  if (op === 'in') {
    const items = (Array.isArray(value) ? value.map(String) : String(value).split(',')).filter((item) => item !== '')
    return items.some((item) => sign(held, item, type) === 0)
  }
  if (op === 'between') {
    const [one, other] = Array.isArray(value) ? value.map(String) : String(value).split(',')
    const ends = [one as string, other as string].sort((a, b) => startOrder(a, b, type))
    return sign(held, ends[0] as string, type) >= 0 && sign(held, ends[1] as string, type) <= 0
  }
  const order = sign(held, String(value), type)
  if (op === '=') return order === 0
  if (op === '<' || op === 'before') return order < 0
  if (op === '>' || op === 'after') return order > 0
  return op === '<=' ? order <= 0 : order >= 0
}

/** Where a held value stands to a written one: a day is equal to all its moments. */
function sign(held: string | number | boolean, written: string, type: string): number {
  if (type === 'boolean') return String(held) === written ? 0 : 1
  if (type === 'string') return Buffer.compare(Buffer.from(String(held)), Buffer.from(written))
  if (type === 'number') return Math.sign((held as number) - Number(written))
  const at = held as number
  if (at < Date.parse(written)) return -1
  return written.length === 10 ? (at < endOf(written) ? 0 : 1) : Math.sign(at - Date.parse(written))
}

function startOrder(a: string, b: string, type: string): number {
  if (type === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return type === 'number' ? Number(a) - Number(b) : Date.parse(a) - Date.parse(b)
}
