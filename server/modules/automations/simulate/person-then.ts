import { type Condition, NOBODY, type PropertyTest, type Subject } from '../../segments/conditions.ts'
import { type Deed, judgeCondition, type PersonAsked, passesTests } from '../../segments/judge-condition.ts'
import type { RuleGroup } from '../../segments/parse-definition.ts'
import { readPropertyTests } from '../../segments/read-event-rule.ts'
import { readRuleGroup } from '../../segments/read-rules.ts'
import type { Definition, Where } from '../definition/definition.ts'
import { shareOf } from '../definition/share-of.ts'
import type { Effect, Facts, Micros, SoFar } from '../run/model/model-run.ts'
import type { PageContact, SimulationPlan } from './simulation-plan.ts'

/** The ears of a simulation for decisions as they are made. */
export type Heard = {
  /** A decision rests on these, whose values then are not known. */
  assumes(what: readonly string[]): void
  /** A mail is not sent. */
  skips(node: string, reason: string): void
}

/** A definition with what its rules mean, which is the same for everybody. */
export class RulesThen {
  readonly #facts: SimulationPlan['facts']
  readonly #conditions = new WeakMap<object, (nowMs: number) => Condition>()
  readonly #tests = new WeakMap<object, (nowMs: number) => readonly PropertyTest[]>()
  readonly tagIdOf: ReadonlyMap<string, string>

  constructor(facts: SimulationPlan['facts']) {
    this.#facts = facts
    this.tagIdOf = new Map([...facts.tagIds].map(([name, id]) => [name.toLowerCase(), id]))
  }

  conditionOf(group: RuleGroup, nowMs: number): Condition {
    return keptBy(this.#conditions, group, (now) => {
      const read = readRuleGroup(group, { ...this.#facts, now })
      // Nobody goes by a rule that nobody meant.
      return 'condition' in read ? read.condition : NOBODY
    })(nowMs)
  }

  testsOf(where: Where, nowMs: number): readonly PropertyTest[] {
    const [first] = where
    if (first === undefined) return []
    return keptBy(this.#tests, where.length === 1 ? first : where, (now) => readPropertyTests(where, now))(nowMs)
  }
}

/** A meaning is read anew for each moment only where it differs from moment to moment, as "the last 30 days" does. */
function keptBy<T>(
  kept: WeakMap<object, (nowMs: number) => T>,
  key: object,
  read: (now: string) => T,
): (nowMs: number) => T {
  const found = kept.get(key)
  if (found) return found
  const [one, other] = ['2001-01-01T00:00:00.000Z', '2002-02-02T00:00:00.000Z'].map((now) => JSON.stringify(read(now)))
  const always = one === other ? read('2001-01-01T00:00:00.000Z') : undefined
  const reads = always === undefined ? (nowMs: number) => read(new Date(nowMs).toISOString()) : () => always
  kept.set(key, reads)
  return reads
}

export type Replayed = {
  plan: SimulationPlan
  rules: RulesThen
  definition: Definition
  contact: PageContact
  heard: Heard
}

/** A person as it was, moment by moment, while an automation is replayed for it. `done` grows with what that brings about. */
export class PersonThen {
  readonly #of: Replayed
  readonly #done: readonly Effect[]
  readonly #has: Map<string, boolean>
  readonly #deeds = new Map<string, Deed[]>()
  /** So many of `done` are in #has and #set. */
  #applied = 0
  readonly #set: Record<string, unknown> = {}
  #now: Micros

  constructor(of: Replayed, done: readonly Effect[]) {
    this.#of = of
    this.#done = done
    this.#now = of.plan.from
    this.#has = new Map(of.contact.tagIds.map((id) => [id, true]))
    // Before the first change of a tag that we know of it was the opposite of what that made it.
    const first = new Set<string>()
    for (const [, , , name, data] of of.contact.events) {
      const tagId = tagOf(name, data)
      if (tagId === undefined || first.has(tagId)) continue
      first.add(tagId)
      this.#has.set(tagId, name === 'contact.untagged')
    }
  }

  /** Notes an event that has happened by now. */
  happens([, at, occurredAt, name, data, proof]: PageContact['events'][number]): void {
    this.#now = at
    const tagId = tagOf(name, data)
    if (tagId !== undefined) {
      this.#apply()
      if (!isOwn(data, this.#of.plan.automationId)) this.#has.set(tagId, name === 'contact.tagged')
    }
    const deeds = this.#deeds.get(name) ?? []
    deeds.push({ atMs: occurredAt / 1_000, data: data ?? {}, proof })
    this.#deeds.set(name, deeds)
  }

  /** Everything that the interpreter asks. */
  facts(): Facts {
    const { plan, rules, definition, contact, heard } = this.#of
    const isMarketing = definition.class === 'marketing'
    return {
      zone: contact.zone ?? undefined,
      belongs: (group, so) => {
        const asked = this.#askedAt(so)
        const { holds, isKnown } = judgeCondition(rules.conditionOf(group, so.at / 1_000), asked.person)
        if (!isKnown) heard.assumes([...asked.unknown])
        return holds
      },
      clicked: (node) => {
        heard.assumes([`clicked:${node}`])
        return shareOf(`click/${node}`, contact.id) < (plan.clickShares[node] ?? 0)
      },
      fieldOf: (key, so) => {
        const { person, unknown } = this.#askedAt(so)
        const { value } = person.valueAt({ custom: [key] })
        if (unknown.size > 0) heard.assumes([...unknown])
        return value
      },
      passes: (where, data) => passesTests(rules.testsOf(where, this.#now / 1_000), data),
      bucket: (of) => shareOf(of === '' ? `holdout/${plan.automationId}` : `split/${of}`, contact.id),
      refusal: (node, { at }) => {
        const reason = this.refusalAt(at, isMarketing)
        if (reason !== undefined) heard.skips(node, reason)
        return reason
      },
    }
  }

  #askedAt({ at, effects }: SoFar): { person: PersonAsked; unknown: Set<string> } {
    const { contact, rules } = this.#of
    const pending = [...this.#done.slice(this.#applied), ...effects]
    const unknown = new Set<string>()
    const tags = this.#has
    const hasTag = (tagId: string) => {
      for (const effect of pending.toReversed()) {
        if (effect.kind !== 'tag') continue
        const named = (names: readonly string[]) =>
          names.some((name) => rules.tagIdOf.get(name.toLowerCase()) === tagId)
        if (named(effect.remove)) return false
        if (named(effect.add)) return true
      }
      return tags.get(tagId) ?? false
    }
    const custom = () =>
      Object.assign({}, this.#set, ...pending.flatMap((one) => (one.kind === 'field' ? [one.set] : [])))
    const valueAt = (subject: Subject) => {
      if ('column' in subject && subject.column === 'created_at') {
        return { value: contact.columns.created_at, isKnown: true }
      }
      if ('custom' in subject) {
        const own = custom()
        const key = subject.custom.find((one) => Object.hasOwn(own, one))
        if (key !== undefined) return { value: own[key], isKnown: true }
      }
      // Nobody has changed anything of it since.
      const isKnown = contact.updatedAt <= at
      if (!isKnown) unknown.add('column' in subject ? subject.column : `custom:${subject.custom[0]}`)
      if ('column' in subject) return { value: contact.columns[subject.column], isKnown }
      const held = subject.custom.find((key) => contact.custom[key] !== undefined && contact.custom[key] !== null)
      return { value: held === undefined ? undefined : contact.custom[held], isKnown }
    }
    const person: PersonAsked = {
      ...{ valueAt, hasTag },
      isSubscribed: (topicId) => contact.topics.some(([id, since]) => id === topicId && since <= at),
      deedsOf: (name) => this.#deeds.get(name) ?? [],
    }
    return { person, unknown }
  }

  #apply(): void {
    const { rules } = this.#of
    for (const effect of this.#done.slice(this.#applied)) {
      if (effect.kind === 'field') Object.assign(this.#set, effect.set)
      if (effect.kind !== 'tag') continue
      for (const [names, has] of [[effect.add, true] as const, [effect.remove, false] as const]) {
        for (const name of names) this.#has.set(rules.tagIdOf.get(name.toLowerCase()) ?? '', has)
      }
    }
    this.#applied = this.#done.length
  }

  /** The rules of sending/ledger/refusal.ts, the weightiest first, as of then. Lists that somebody was taken off do not say so. */
  refusalAt(at: Micros, isMarketing: boolean): string | undefined {
    const { contact, plan } = this.#of
    if (!contact.hasEmail) return 'no_email'
    if (contact.suppressed !== null && contact.suppressed[1] <= at) return 'suppressed'
    if (!isMarketing) return undefined
    const hasLeft = (source: string) => contact.unsubscribed.some(([from, since]) => from === source && since <= at)
    if (hasLeft('everything')) return 'unsubscribed_everything'
    if (hasLeft(`automation:${plan.automationId}`) || hasLeft('automations')) return 'unsubscribed_source'
    if (plan.doubleOptIn && (contact.consentAt === null || contact.consentAt > at)) return 'unconfirmed'
    return undefined
  }
}

function tagOf(name: string, data: Readonly<Record<string, unknown>> | null): string | undefined {
  return name === 'contact.tagged' || name === 'contact.untagged' ? String(data?.tagId) : undefined
}

/** Whether a run of this automation has done it: the replay does it itself. */
export function isOwn(data: Readonly<Record<string, unknown>> | null, automationId: string): boolean {
  return String((data?.cause as { automationId?: unknown } | undefined)?.automationId) === automationId
}
