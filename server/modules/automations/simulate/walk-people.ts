import { DAY_MS } from '../../../platform/durations.ts'
import { canonicalJson } from '../definition/canonical-json.ts'
import type { Definition } from '../definition/definition.ts'
import { storedDefinition } from '../definition/read-definition.ts'
import {
  checkWaits,
  type Followed,
  follow,
  type Happening,
  nobodyYet,
  passTime,
  type Story,
} from '../run/model/follow.ts'
import type { Interpreted, Micros } from '../run/model/model-run.ts'
import { type HeldMail, mailsOf } from './mails-of-stories.ts'
import { isOwn, PersonThen, type Replayed, RulesThen } from './person-then.ts'
import type { PageContact, SimulationPlan } from './simulation-plan.ts'
import {
  type Compared,
  count,
  countIn,
  EXAMPLES_MAX,
  emptyTallied,
  notePath,
  type Tallied,
  type Tally,
  type TracedRun,
} from './tally.ts'

/** People of one page, the JSON of a list of `PageContact`, and how many there were without any event. */
export type PeoplePage = { people: number; contacts: string }

const DAY_MICROS: Micros = DAY_MS * 1_000
const WEEK_MICROS = 7 * DAY_MICROS
const STEPS_SHOWN_MAX = 60

/** A definition, what its rules mean, and the names of events that anybody listens to. */
type Prepared = { definition: Definition; rules: RulesThen }

/** Walks people through the draft and the version in force, by the interpreter alone: no database, no clock. */
export function walkPeople(plan: SimulationPlan, page: PeoplePage): Tallied {
  const draft = prepared(plan, plan.draft)
  const live = plan.live === null ? null : prepared(plan, plan.live)
  const tallied = emptyTallied(live !== null)
  tallied.people = page.people
  for (const contact of JSON.parse(page.contacts) as PageContact[]) {
    tallied.events += contact.events.length
    const { followed, mails } = replay(plan, draft, { contact, tally: tallied.draft })
    notePaths(tallied, contact.id, followed.stories)
    noteOthers(tallied, { contact, mails, from: plan.from })
    if (live === null) continue
    const { mails: before } = replay(plan, live, { contact, tally: tallied.live! })
    if (mails.length + before.length > 0) noteCompared(tallied, contact.id, { mails, before })
  }
  return tallied
}

/** Kept from page to page: the same texts and facts come with each. */
let kept: { key: string; byText: Map<string, Prepared> } | undefined

function prepared({ facts }: SimulationPlan, text: string): Prepared {
  const key = JSON.stringify([[...facts.fields], [...facts.tagIds], [...facts.segments]])
  if (kept?.key !== key) kept = { key, byText: new Map() }
  const found = kept.byText.get(text)
  if (found) return found
  const made = { definition: storedDefinition(text), rules: new RulesThen(facts) }
  if (kept.byText.size >= 4) kept.byText.clear()
  kept.byText.set(text, made)
  return made
}

type Replaying = { contact: PageContact; tally: Tally }
/** Everything that has become of somebody, and the mails that went, in their order. */
type Past = { followed: Followed; mails: Sent[] }

/** Everything that has happened to somebody, in order, and every timer at its time. */
function replay(plan: SimulationPlan, { definition, rules }: Prepared, { contact, tally }: Replaying): Past {
  const { automationId, from, until } = plan
  let assumed = 0
  const heard: Replayed['heard'] = {
    assumes(what) {
      assumed++
      for (const one of what) count(tally.assumedBy, one)
    },
    skips: (node, reason) => countIn(tally.skipped, node, reason),
  }
  const followed = nobodyYet()
  const then = new PersonThen({ plan, rules, definition, contact, heard }, followed.effects)
  const of: Interpreted = { automationId, definition, facts: then.facts(), wallAt: (at) => at }
  let passed = from
  for (const [at, events] of Map.groupBy(contact.events, ([, moment]) => moment)) {
    if (at >= until) break
    passTime(of, followed, { from: passed, until: at - 1 })
    passed = at
    // Rules know all of a moment, as those of the engine do: the events of one request are recorded together.
    for (const event of events) then.happens(event)
    const happenings = events.filter(([, , , , data]) => !isOwn(data, automationId)).map(happeningOf)
    if (at < from || happenings.length === 0) continue
    follow(of, followed, { happenings, until: at - 1 })
    checkWaits(followed, at)
  }
  passTime(of, followed, { from: passed, until: until - 1 })
  const mails = mailsOf(followed.stories, {
    ...{ definition, restraints: plan.restraints, zone: contact.zone, until },
    gone: contact.others.flatMap(([, , moment, isMarketing]) => (isMarketing ? [moment] : [])),
    refusalAt: (moment) => then.refusalAt(moment, true),
  })
  note(tally, followed, mails)
  tally.assumed += assumed
  if (assumed > 0) tally.peopleAssumed++
  return { followed, mails: mails.flatMap(({ sentAt, ...mail }) => (sentAt === null ? [] : [{ ...mail, at: sentAt }])) }
}

function happeningOf([position, at, , name, data, proof]: PageContact['events'][number]): Happening {
  const depth = Number((data?.cause as { depth?: unknown } | undefined)?.depth ?? 0)
  return { at, position: Number(position), name, data: data ?? {}, depth, proof }
}

function note(tally: Tally, followed: Followed, mails: readonly HeldMail[]): void {
  const { stories, refusals } = followed
  for (const { reason } of refusals) count(tally.refused, reason)
  if (stories.length > 0) tally.people++
  tally.entered += stories.length
  for (const { run, steps, effects } of stories) {
    for (const { kind, node } of effects) if (kind === 'notify') count(tally.noticesByNode, node)
    if (run.end === null) tally.inside++
    else count(tally.ended, run.end.reason === null ? run.end.state : `${run.end.state}:${run.end.reason}`)
    if (run.goalAt !== null) tally.goals++
    if (typeof run.goalValue === 'number') tally.goalValue += run.goalValue
    for (const { node, way, next } of steps) {
      countIn(next === null ? tally.endedAt : tally.left, node, way)
      if (next !== null) count(tally.cameTo, next)
    }
  }
  for (const { node, sentAt, skipped, heldFor } of mails) {
    for (const reason of heldFor) count(tally.held, reason)
    if (skipped !== null) countIn(tally.skipped, node, skipped)
    else if (sentAt === null) tally.waiting++
    else {
      count(tally.mailsByNode, node)
      count(tally.mailsByDay, new Date(sentAt / 1_000).toISOString().slice(0, 10))
    }
  }
  if (stories.length > 0) count(tally.peopleByMails, String(mails.filter(({ sentAt }) => sentAt !== null).length))
}

type Sent = Pick<HeldMail, 'at' | 'content'>

function notePaths({ paths }: Tallied, contactId: string, stories: readonly Story[]): void {
  for (const { run, steps } of stories) {
    const way = steps.map(({ node, way: by }) => `${node} ${by}`).join('\n')
    const { entryKey, enteredAt, end } = run
    const example: TracedRun = {
      ...{ contactId, entryKey, enteredAt, end: end === null ? null : (end.reason ?? end.state) },
      steps: steps
        .slice(0, STEPS_SHOWN_MAX)
        .map(({ node, way: by, next, leftAt }) => ({ node, way: by, next, leftAt })),
    }
    notePath(paths, `${way}\n${example.end ?? ''}`, { runs: 1, example })
  }
}

/** Notes mails of others to somebody whom the draft mails, and the most within any seven days. */
function noteOthers(
  { others, peopleByWeek }: Tallied,
  { contact, mails, from }: { contact: PageContact; mails: readonly Sent[]; from: Micros },
): void {
  if (mails.length === 0) return
  const seen = new Set<string>()
  const meanwhile = contact.others.filter(([, , at]) => at >= from)
  for (const [kind, id, at] of meanwhile) {
    const key = `${kind}:${id}`
    others[key] ??= { people: 0, mails: 0, withinDay: 0 }
    others[key].mails++
    if (!seen.has(key)) others[key].people++
    seen.add(key)
    if (mails.some((mail) => Math.abs(mail.at - at) <= DAY_MICROS)) others[key].withinDay++
  }
  const times = [...mails.map(({ at }) => at), ...meanwhile.map(([, , at]) => at)].sort((one, other) => one - other)
  let most = 0
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last]! - times[first]! > WEEK_MICROS) first++
    most = Math.max(most, last - first + 1)
  }
  count(peopleByWeek, String(most))
}

type BesideLive = { mails: readonly Sent[]; before: readonly Sent[] }

function noteCompared({ compared }: Tallied, contactId: string, { mails, before }: BesideLive): void {
  const [draft, live] = [mails.length, before.length]
  let of: Compared = draft > live ? 'more' : 'less'
  if (draft === live) of = contentsOf(mails) === contentsOf(before) ? 'same' : 'other'
  const { examples } = compared[of]
  compared[of].people++
  if (examples.length < EXAMPLES_MAX) examples.push({ contactId, draft, live })
}

const contents = new WeakMap<object, string>()

function contentsOf(mails: readonly Sent[]): string {
  return mails
    .map(({ content }) => {
      const known = contents.get(content) ?? canonicalJson(content)
      contents.set(content, known)
      return known
    })
    .join('\n')
}
