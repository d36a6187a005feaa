import type { Transaction } from '../../../platform/db/transaction.ts'
import { DAY_MS, MINUTE_MS } from '../../../platform/durations.ts'
import { shortestDayMs } from '../../../platform/shortest-day.ts'
import { canonicalJson } from '../definition/canonical-json.ts'
import { type Definition, END, isDated, type Node } from '../definition/definition.ts'
import type { PeopleAtNode } from '../definition/people-at-nodes.ts'
import { microsOf } from '../micros.ts'
import { firstEnd, momentsAt } from '../run/dates-of-runs.ts'
import { zoneOf } from '../run/rest.ts'
import { storedVariables } from '../run/variables.ts'
import { type Mails, type MailsOfDay, mailsOfDay, NO_MAILS, plusMails } from './mails-of-day.ts'
import { restingAt, type Standing, standingsOf } from './standing-queries.ts'

/** People at a node with what becomes of them. `to`: null where they stay, or have no place. */
export type Placed = PeopleAtNode & { fate: 'keeps' | 'moves' | 'leaves' | 'stays' | 'homeless'; to: string | null }

/** Timers that end within 24 hours, and mails that those inside get then, without a publishing and with it. */
export type NextDay = {
  timersBefore: number
  timersAfter: number
  mailsBefore: Mails
  mailsAfter: Mails
  /** Reckoned from the first people of a node. */
  isEstimate: boolean
}

type Key = { workspaceId: string; id: string }
type Asked = {
  places: readonly Placed[]
  draft: Definition
  definitions: ReadonlyMap<number, Definition>
  isPaused: boolean
}

/** The next 24 hours of everybody inside, by where they stand. While it is paused nobody is surely mailed. */
export async function nextDayOf(
  tx: Transaction,
  key: Key,
  { places, draft, definitions, isPaused }: Asked,
): Promise<Map<Placed, NextDay>> {
  const standings = Map.groupBy(await standingsOf(tx, key), placeKey)
  const overdueMs = Math.max(0, ...[...standings.values()].flat().map(({ minute }) => -minute * MINUTE_MS))
  const now = Date.now()
  const dayMs = await shortestDayMs(now - overdueMs, now + DAY_MS)
  const ofVersion = new Map(
    [...definitions].map(([version, one]) => [version, mailsOfDay(one, { overdueMs, shortestDayMs: dayMs })]),
  )
  const ofDraft = mailsOfDay(draft, { shortestDayMs: dayMs })
  const days = new Map<Placed, NextDay>()
  for (const place of places) {
    const definition = definitions.get(place.version)!
    const here = hereOf(place, standings.get(placeKey(place)) ?? [])
    const before = { definition, mails: ofVersion.get(place.version)! }
    const [timersBefore, mailsBefore] = [sumOf(here.timers), mailsAt(before.mails, here)]
    const day = { timersBefore, timersAfter: timersBefore, mailsBefore, mailsAfter: mailsBefore, isEstimate: false }
    const moved = place.fate === 'leaves' || place.to !== null
    if (moved)
      Object.assign(day, await afterMove(tx, key, { here, before, draft: { definition: draft, mails: ofDraft } }))
    days.set(place, isPaused ? { ...day, ...unsure(day) } : day)
  }
  return days
}

const placeKey = ({ version, node }: Pick<Standing, 'version' | 'node'>) => `${version}/${node}`
const sumOf = (standings: readonly Standing[]) => standings.reduce((sum, { people }) => sum + people, 0)
const unsure = ({ mailsBefore, mailsAfter }: NextDay) => ({
  mailsBefore: { ...mailsBefore, atLeast: 0 },
  mailsAfter: { ...mailsAfter, atLeast: 0 },
})

/** Those at a node: whose rest ends within the day, who may go on at any moment, and anybody else. */
type Here = { place: Placed; timers: readonly Standing[]; standing: number; others: number }

function hereOf(place: Placed, all: readonly Standing[]): Here {
  const timers = all.filter(({ rests }) => rests)
  const standing = sumOf(all) - sumOf(timers)
  return { place, timers, standing, others: Math.max(0, place.people - sumOf(all)) }
}

/** Mails of those at a node, in their version. */
function mailsAt(mails: MailsOfDay, { place: { node }, timers, standing, others }: Here): Mails {
  let sum = plusMails(NO_MAILS, mails.stands(node), standing)
  for (const { minute, people } of timers) sum = plusMails(sum, ofTimer(mails, node, minute), people)
  return plusMails(sum, mails.rests(node, null), others)
}

/** Mails of one whose rest ends within a minute. */
function ofTimer(mails: MailsOfDay, node: string, minute: number): Mails {
  const { atMost } = mails.rests(node, minute * MINUTE_MS)
  return { atMost, atLeast: mails.rests(node, Math.max(0, minute + 1) * MINUTE_MS).atLeast }
}

type Version = { definition: Definition; mails: MailsOfDay }
type Moved = { here: Here; before: Version; draft: Version }
type After = Pick<NextDay, 'timersAfter' | 'mailsAfter' | 'isEstimate'>

async function afterMove(tx: Transaction, key: Key, { here, before, draft }: Moved): Promise<After> {
  const overdue = here.timers.filter(({ minute }) => minute < 0)
  const after = await afterPublishing(tx, key, { here, before, draft })
  // Timers that were due before the publishing are heeded in the old version first, and then people may be anywhere.
  for (const { minute, people } of overdue) {
    const first = ofTimer(before.mails, here.place.node, minute)
    const anywhere = Math.max(0, ...Object.keys(draft.definition.nodes).map((id) => draft.mails.comes(id).atMost))
    after.mailsAfter = {
      atLeast: 0,
      atMost: after.mailsAfter.atMost + (first.atMost + (here.place.to === null ? 0 : anywhere)) * people,
    }
  }
  return after
}

async function afterPublishing(tx: Transaction, key: Key, { here, before, draft }: Moved): Promise<After> {
  const { place, timers, standing, others } = here
  const none = { timersAfter: 0, mailsAfter: NO_MAILS, isEstimate: false }
  if (place.to === null || place.to === END) return none
  const [from, to] = [before.definition.nodes[place.node]!, draft.definition.nodes[place.to]!]
  if (!isRest(to) || !isRest(from)) {
    return { ...none, mailsAfter: plusMails(NO_MAILS, draft.mails.comes(place.to), place.people) }
  }
  const comers = plusMails(NO_MAILS, { ...draft.mails.comes(place.to), atLeast: 0 }, standing)
  if (isSameRest(from, to)) {
    const mails = mailsAt(draft.mails, { ...here, place: { ...place, node: place.to }, standing: 0 })
    return { ...none, timersAfter: sumOf(timers), mailsAfter: plusMails(comers, mails) }
  }
  const resting = sumOf(timers) + others
  const { people, within, mails } = await sampleOf(tx, key, { place, to, draft })
  // Of so many more that were not looked at.
  const times = people === 0 ? 0 : Math.max(1, resting / people)
  return {
    timersAfter: Math.round(within * times),
    mailsAfter: plusMails(comers, {
      atLeast: Math.floor(mails.atLeast * times),
      atMost: Math.ceil(mails.atMost * times),
    }),
    isEstimate: people < resting,
  }
}

const isRest = (node: Node) => node.type === 'delay' || node.type === 'wait'

type Sampled = { place: Placed; to: Node; draft: Version }

/** Of the first who rest at a node: whose new end is within the day, and their mails. */
async function sampleOf(
  tx: Transaction,
  key: Key,
  { place, to, draft }: Sampled,
): Promise<{ people: number; within: number; mails: Mails }> {
  if (to.type !== 'delay' && to.type !== 'wait') return { people: 0, within: 0, mails: NO_MAILS }
  const people = (await restingAt(tx, key, place)).map(({ at, putOff, zone, kept, ...rest }) => ({
    ...rest,
    variables: storedVariables(kept),
    at: microsOf(at),
    putOff: BigInt(putOff),
    zone: zoneOf(zone, draft.definition),
  }))
  const moments = await momentsAt(tx, key.workspaceId, { node: to, people })
  let [within, mails] = [0, NO_MAILS]
  for (const person of people) {
    const forMs = Number(firstEnd(person, to, moments.get(person)) - microsOf(person.now)) / 1_000
    const isWithin = forMs <= DAY_MS
    if (isWithin) within += 1
    mails = plusMails(mails, draft.mails.rests(place.to!, isWithin ? Math.max(0, forMs) : null))
  }
  return { people: people.length, within, mails }
}

/** Whether two nodes hold everybody for the same time. */
function isSameRest(one: Node, other: Node): boolean {
  const restOf = (node: Node) =>
    node.type === 'delay'
      ? [node.span, node.at, node.on]
      : node.type === 'wait'
        ? [node.timeout, node.for.filter(isDated)]
        : null
  return restOf(one) !== null && one.type === other.type && canonicalJson(restOf(one)) === canonicalJson(restOf(other))
}
