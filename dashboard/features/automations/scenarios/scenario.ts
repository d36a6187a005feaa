import type { AutomationScenarioResult } from '../../../lib/site-types.ts'
import { readDuration } from '../builder/duration.ts'
import { list, record, text } from '../flow-node.ts'

/** A scenario as it is written: docs/guides/automations.md#scenarios. */
export type Scenario = Record<string, unknown>
/** One thing that is given or expected, as it is written. */
export type Entry = Record<string, unknown>
export type Result = AutomationScenarioResult
export type ResultLine = Result['lines'][number]

export const nameOf = (scenario: Scenario) => text(scenario.name)
export const givenOf = (scenario: Scenario): Entry[] => list(scenario.given)
export const expectedOf = (scenario: Scenario): Entry[] => list(scenario.expect)

const MORE = ['at', 'data', 'when', 'priority']

/** The kind of an entry: its key beside those that say more of it. */
export function kindOf(entry: Entry): string {
  return Object.keys(entry).find((key) => !MORE.includes(key)) ?? ''
}

export const GIVEN_KINDS = [
  { value: 'event', label: 'An event' },
  { value: 'tag', label: 'Gets a tag' },
  { value: 'untag', label: 'Loses a tag' },
  { value: 'click', label: 'Clicks in a mail' },
  { value: 'unsubscribe', label: 'Unsubscribes' },
  { value: 'segment', label: 'A segment' },
  { value: 'enroll', label: 'Is put in by hand' },
  { value: 'mailed', label: 'Other marketing mail' },
]
export const EXPECTED_KINDS = [
  { value: 'mail', label: 'Gets the mail' },
  { value: 'tag', label: 'Gets the tag' },
  { value: 'untag', label: 'Loses the tag' },
  { value: 'end', label: 'Finishes' },
  { value: 'refused', label: 'Does not come in' },
]
export const ENDS = [
  { value: 'completed', label: 'after the last step' },
  { value: 'goal', label: 'by reaching the goal' },
  { value: 'criterion', label: 'early, by an exit' },
  { value: 'unsubscribed', label: 'by unsubscribing' },
  { value: 'restart', label: 'because they start again' },
  { value: 'held_out', label: 'without mail, in the holdout group' },
  { value: 'loop', label: 'because of too many steps' },
]
export const REFUSALS = [
  { value: 'filter', label: 'because the event does not match the filter' },
  { value: 'rule', label: 'because the entry rule does not hold' },
  { value: 'mode', label: 'because they had been in it' },
  { value: 'key', label: 'because its key is too long' },
  { value: 'limit', label: 'because they are in it too often' },
]

/** An entry of a kind, as it begins. */
export function newEntry(kind: string, mails: readonly string[]): Entry {
  const first: Record<string, unknown> = {
    ...{ event: '', tag: '', untag: '', segment: '', enroll: true, unsubscribe: 'automation', end: 'completed' },
    ...{ refused: 'mode', click: mails[0] ?? '', mail: mails[0] ?? '', mailed: 'Newsletter' },
  }
  const more: Entry = kind === 'segment' ? { when: 'enters' } : kind === 'mailed' ? { at: '-P1D' } : {}
  return { [kind]: first[kind], ...more }
}

export function newScenario(trigger: Entry, name: string): Scenario {
  return { name, given: [trigger], expect: [] }
}

/** A part of a scenario changed; what is undefined is taken out, and so is a part that has nothing more. */
export function put(scenario: Scenario, name: 'person' | 'workspace', change: Record<string, unknown>): Scenario {
  const entries = Object.entries({ ...record(scenario[name]), ...change }).filter(([, value]) => value !== undefined)
  const { [name]: _, ...rest } = scenario
  return entries.length === 0 ? rest : { ...rest, [name]: Object.fromEntries(entries) }
}

/** Expectations of all that has happened: for whoever has looked at it and finds it right. */
export function expectedFrom({ lines, startedAt }: Result): Entry[] {
  return lines.flatMap(({ kind, what, seenAt }) =>
    seenAt === null || kind === 'refused' ? [] : [{ [kind]: what, at: spanBetween(startedAt, seenAt) }],
  )
}

/** Monday, at nine in Berlin: when a scenario begins that does not say it. */
const START = '2026-06-01T07:00:00Z'
export const startOf = (scenario: Scenario) => text(scenario.start) || START

/** Whether a moment is one of the calendar, and no span from the beginning. */
export const isDate = (at: string) => /^\d{4}-/.test(at) && !Number.isNaN(Date.parse(at))

/** As the server has moments: in UTC, to the second. */
export const utcOf = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z')

const MINUTES = { minutes: 1, hours: 60, days: 1_440, weeks: 10_080, months: 43_200 }

/** The date of a span from the beginning, to begin with: a month has thirty days, and what has several units none. */
export function dateOf(start: string, span: string): string {
  const { count, unit } = readDuration(span.replace(/^-/, '')) ?? { count: 0, unit: { value: 'minutes' } as const }
  const ms = count * MINUTES[unit.value] * 60_000
  return utcOf(new Date(Date.parse(start) + (span.startsWith('-') ? -ms : ms)))
}

/** So long after the beginning in whole minutes, hours or days; else the moment itself. */
export function spanBetween(startedAt: string, moment: string): string {
  const minutes = (Date.parse(moment) - Date.parse(startedAt)) / 60_000
  if (!Number.isInteger(minutes)) return moment
  return minutes % 60 === 0 && minutes > 0 ? `PT${minutes / 60}H` : `PT${minutes}M`
}

/** The span from the beginning to a date, to begin with: in whole minutes, and none to one before it. */
export function spanTo(start: string, date: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(date) - Date.parse(start)) / 60_000))
  return spanBetween(start, dateOf(start, `PT${minutes}M`))
}

/** `after 2 d 3 h`. */
export function sinceStart(startedAt: string, moment: string): string {
  const minutes = Math.round((Date.parse(moment) - Date.parse(startedAt)) / 60_000)
  const parts = [
    [Math.floor(minutes / 1_440), 'd'],
    [Math.floor((minutes % 1_440) / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const
  const told = parts.flatMap(([n, unit]) => (n > 0 ? [`${n} ${unit}`] : []))
  return told.length === 0 ? 'at once' : `after ${told.join(' ')}`
}

/** Steps at which scenarios fail, with the scenarios' names: where something has gone wrong, or where the person stood last. */
export function failingSteps(results: readonly Result[]): ReadonlyMap<string, string[]> {
  const failing = new Map<string, string[]>()
  for (const { name, lines, steps } of results) {
    for (const { outcome, node } of lines) {
      if (outcome === 'met') continue
      const at = node ?? steps.at(-1)?.node ?? ''
      const names = failing.get(at) ?? []
      if (!names.includes(name)) failing.set(at, [...names, name])
    }
  }
  return failing
}

/** Ids of the mails of a definition, in order. */
export function mailsOf(definition: Record<string, unknown>): string[] {
  return Object.entries(record(definition.nodes)).flatMap(([id, node]) => (record(node).type === 'email' ? [id] : []))
}
