import { countText, dateText, numberText } from '../../../lib/format.ts'
import type { AutomationSimulationReport, AutomationSimulationSummary } from '../../../lib/site-types.ts'
import type { Tone } from '../../../ui/status-badge.tsx'

export type Report = NonNullable<AutomationSimulationReport>
export type Outcome = Report['draft']

export const STATES: Readonly<Record<AutomationSimulationSummary['state'], { words: string; tone: Tone }>> = {
  running: { words: 'Running', tone: 'info' },
  done: { words: 'Done', tone: 'good' },
  canceled: { words: 'Canceled', tone: 'neutral' },
  failed: { words: 'Failed', tone: 'bad' },
}

export function windowText({ from, until, samplePercent }: AutomationSimulationSummary): string {
  const of = samplePercent === 100 ? 'everybody' : `${samplePercent} % of all people`
  return `${dateText(from)} to ${dateText(until)}, ${of}`
}

/** `exited:goal`, as a run ended. */
export function endText(end: string): string {
  const [state = end, reason] = end.split(':')
  if (state === 'completed') return 'finished'
  if (state === 'held_out') return 'were in the holdout group'
  return REASONS[reason ?? state] ?? `left: ${reason ?? state}`
}

const REASONS: Readonly<Record<string, string>> = {
  goal: 'reached the goal',
  criterion: 'left early, by an exit',
  restart: 'started again',
  unsubscribed: 'unsubscribed',
  loop: 'made too many steps',
}

const SECOND_MS = 1_000
const MINUTE_S = 60

/** `took 3 seconds`: how long a replay went on, from when it was asked for. */
export function tookText(createdAt: string, endedAt: string): string {
  const seconds = Math.max(1, Math.round((Date.parse(endedAt) - Date.parse(createdAt)) / SECOND_MS))
  return `took ${seconds < 2 * MINUTE_S ? countText(seconds, 'second') : countText(Math.round(seconds / MINUTE_S), 'minute')}`
}

const WAITS: Readonly<Record<string, string>> = {
  quiet_hours: 'for quiet hours to end',
  frequency_cap: 'for room under the cap',
}

/** What mails had to wait for, a line each. */
export function heldLines({ held, waiting }: Outcome['mails']): string[] {
  const lines = held.map(({ reason, count }) => `${numberText(count)} ${WAITS[reason] ?? reason}`)
  return waiting > 0 ? [...lines, `${numberText(waiting)} still held at the end`] : lines
}

/** The most frequent first. */
export const mostOf = <T extends { count: number }>(counts: readonly T[]): T[] =>
  counts.toSorted((a, b) => b.count - a.count)

/** `custom:plan`, `first_name`, `clicked:m1`: whatever a decision rests on, a mail by what it is called. */
export function assumedText(what: string, step: (node: string) => string): string {
  if (what.startsWith('custom:')) return `the field ${what.slice('custom:'.length)}`
  if (what.startsWith('clicked:')) return `clicks in “${step(what.slice('clicked:'.length))}”`
  return `the field ${what}`
}

/** The finding in a sentence. */
export function findingOf({ draft, live, compared }: Report): string {
  const own = `${countText(draft.people, 'person', 'people')} would have come in, and got ${countText(draft.mails.total, 'mail')}.`
  if (live === null || compared === null) return own
  const { more, less, other } = compared
  if (more.people + less.people + other.people === 0) return `${own} Nobody would have got other mail than now.`
  const parts = [
    ...(more.people > 0 ? [`more mail for ${countText(more.people, 'person', 'people')}`] : []),
    ...(less.people > 0 ? [`less mail for ${countText(less.people, 'person', 'people')}`] : []),
    ...(other.people > 0 ? [`other mail for ${countText(other.people, 'person', 'people')}`] : []),
  ]
  return `${own} Compared with the version in force: ${parts.join(', ')}.`
}

const TRIGGERS: Readonly<Record<Report['notReplayed'][number], string>> = {
  date: 'a date',
  schedule: 'a schedule',
  manual: 'hand',
}

/** Gaps of the replay, a sentence each. */
export function gapsOf(
  { isPartial, peopleCut, notReplayed }: Report,
  { total, done }: AutomationSimulationSummary['people'],
): string[] {
  const by = notReplayed.map((kind) => TRIGGERS[kind]).join(' or ')
  return [
    ...(isPartial && (peopleCut === 0 || done < total) ? ['Not everybody was replayed: it took too long.'] : []),
    ...(peopleCut > 0
      ? [`${countText(peopleCut, 'person', 'people')} did more than is replayed of one: part of it is left out.`]
      : []),
    ...(by !== '' ? [`Nobody comes in by ${by} in a replay: nothing in the past says when.`] : []),
  ]
}
