import { DAY_MS } from '../../../platform/durations.ts'
import { readField } from '../../segments/rule-fields.ts'
import type { Restraints } from '../../sending/restraint/restraints.ts'
import type { Definition, SplitNode } from '../definition/definition.ts'
import { SHARES } from '../definition/limits.ts'
import { shareOf } from '../definition/share-of.ts'
import type { Happening } from '../run/model/follow.ts'
import type { Effect, Facts, Micros } from '../run/model/model-run.ts'
import { later } from '../run/model/model-time.ts'
import type { OtherMail } from '../simulate/mails-of-stories.ts'
import { PersonThen, RulesThen } from '../simulate/person-then.ts'
import type { PageContact, SimulationPlan } from '../simulate/simulation-plan.ts'
import type { Given, Scenario, ScenarioMoment } from './scenario.ts'

export type ScenarioFacts = SimulationPlan['facts']
export type Staging = {
  automationId: string
  definition: Definition
  facts: ScenarioFacts
  scenario: Scenario
  /** Somebody that there is, in place of whom the scenario makes up. */
  contact?: PageContact | undefined
}
/** An event of the stage, as a person's past has it; without a name they come in by themselves. */
export type Staged = { event: PageContact['events'][number]; happening: Happening }
type Skip = { node: string; reason: string }
/** Givens that an event tells. */
type Told = Exclude<Given, { kind: 'click' | 'mailed' }>
const isTold = (one: Given): one is Told => one.kind !== 'click' && one.kind !== 'mailed'

const CONTACT_ID = '1'
const LONG_MICROS: Micros = 400 * DAY_MS * 1_000
const WITHOUT_EVENT = ''

/** The one person of a scenario, as the time machine knows people, and all that happens to them, in order. */
export class ScenarioPerson {
  readonly startedAt: Micros
  /** How long the scenario goes on: nobody is in an automation longer. */
  readonly until: Micros
  readonly staged: readonly Staged[]
  readonly skips: Skip[] = []
  /** When marketing mail of others has gone to them before the beginning, and what of it is due from there on. */
  readonly gone: readonly Micros[]
  readonly others: readonly OtherMail[]
  readonly #of: Staging
  readonly #zone: string
  readonly #clicks: readonly { node: string; at: Micros }[]

  constructor(of: Staging) {
    this.#of = of
    this.#zone = of.contact?.zone ?? of.scenario.person.timeZone ?? of.definition.defaultZone
    this.startedAt = of.scenario.startMs * 1_000
    const given = of.scenario.given
      .map((one) => ({ one, at: this.momentOf(one.at) }))
      .sort((first, other) => first.at - other.at)
    this.until = Math.max(this.startedAt, ...given.map(({ at }) => at)) + LONG_MICROS
    this.#clicks = given.flatMap(({ one, at }) => (one.kind === 'click' ? [{ node: one.node, at }] : []))
    this.staged = given.flatMap(({ one, at }, n) => (isTold(one) ? [this.#stage(one, at, n + 1)] : []))
    const mailed = given.flatMap(({ one, at }) => (one.kind === 'mailed' ? [{ at, priority: one.priority }] : []))
    this.gone = mailed.flatMap(({ at }) => (at < this.startedAt ? [at] : []))
    this.others = mailed.filter(({ at }) => at >= this.startedAt)
  }

  /** Quiet hours and the cap of the scenario's workspace. */
  get restraints(): Restraints {
    const { definition, scenario } = this.#of
    const { quietHours, frequencyCap } = scenario.workspace
    return {
      quietHours: quietHours && { ...quietHours, zone: quietHours.zone ?? definition.defaultZone },
      frequencyCap,
    }
  }

  momentOf(moment: ScenarioMoment): Micros {
    return 'ms' in moment ? moment.ms * 1_000 : later(this.startedAt, moment.after, this.#zone)
  }

  /** The person as of whatever has happened so far; `done` grows with what the automation brings about. */
  played(done: readonly Effect[]): { past: PersonThen; facts: Facts } {
    const { automationId, definition, facts } = this.#of
    const plan: SimulationPlan = {
      ...{ automationId, from: this.startedAt, until: this.until, draft: '', live: null, facts },
      ...{ doubleOptIn: false, restraints: this.restraints, clickShares: {} },
    }
    const heard = {
      assumes: () => undefined,
      skips: (node: string, reason: string) => void this.skips.push({ node, reason }),
    }
    const past = new PersonThen(
      { plan, definition, rules: new RulesThen(facts), contact: this.#contact(), heard },
      done,
    )
    const clicked: Facts['clicked'] = (node, { at }) => this.#clicks.some((one) => one.node === node && one.at <= at)
    return { past, facts: { ...past.facts(), clicked, bucket: (of) => this.#bucket(of) } }
  }

  /** The number that has them held out, or sent the way that the scenario says. */
  #bucket(of: string): number {
    const { definition, scenario } = this.#of
    const { split, isHeldOut } = scenario.person
    if (of === '') return isHeldOut ? 0 : SHARES - 1
    const { ways } = definition.nodes[of] as SplitNode
    if (this.#of.contact && split[of] === undefined) return shareOf(`split/${of}`, this.#of.contact.id)
    return ways.slice(0, split[of] ?? 0).reduce((sum, { weight }) => sum + weight, 0)
  }

  #stage(one: Told, at: Micros, position: number): Staged {
    const [name, data] = this.#told(one)
    return {
      event: [String(position), at, at, name ?? WITHOUT_EVENT, data, null],
      happening: { at, position, name, data, depth: 0 },
    }
  }

  /** The event that tells it. */
  #told(one: Told): [name: string | null, data: Record<string, unknown> | null] {
    switch (one.kind) {
      case 'event':
        return [one.event, one.data]
      case 'tag':
        return ['contact.tagged', { tagId: idOf(this.#of.facts, one.tag), name: one.tag }]
      case 'untag':
        return ['contact.untagged', { tagId: idOf(this.#of.facts, one.tag), name: one.tag }]
      case 'unsubscribe':
        return ['email.unsubscribed', { sendingSource: this.#sourceOf(one.from) }]
      case 'enroll':
        return [null, null]
    }
  }

  #sourceOf(from: 'automation' | 'everything'): string {
    return from === 'everything' ? from : `automation:${this.#of.automationId}`
  }

  #contact(): PageContact {
    const { person, given } = this.#of.scenario
    const known = this.#of.contact
    if (known) return { ...known, events: [...known.events, ...this.staged.map(({ event }) => event)] }
    const columns: Record<string, string | null> = { email: 'ada@example.com', created_at: momentText(this.startedAt) }
    const custom: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(person.fields)) {
      const field = readField(name)
      if (field.kind === 'column') columns[field.column] = String(value)
      else if (field.kind === 'custom') custom[field.key] = value
    }
    const unsubscribed = given.flatMap((one) =>
      one.kind === 'unsubscribe' ? [[this.#sourceOf(one.from), this.momentOf(one.at)] as const] : [],
    )
    return {
      ...{ id: CONTACT_ID, zone: person.timeZone, hasEmail: true, createdAt: 0, updatedAt: 0, columns, custom },
      tagIds: person.tags.map((tag) => String(idOf(this.#of.facts, tag))),
      topics: person.topics.map((id) => [id, 0] as const),
      suppressed: person.isSuppressed ? ['manual', 0] : null,
      ...{ unsubscribed, consentAt: 0, others: [] },
      events: this.staged.map(({ event }) => event),
    }
  }
}

/** A tag that the workspace does not have yet is told by its name. */
export const inventedId = (tag: string) => `tag ${tag.toLowerCase()}`

function idOf({ tagIds }: ScenarioFacts, tag: string): string | number {
  const known = [...tagIds].find(([name]) => name.toLowerCase() === tag.toLowerCase())?.[1]
  const id = known ?? inventedId(tag)
  return Number.isSafeInteger(Number(id)) ? Number(id) : id
}

const momentText = (at: Micros) => new Date(at / 1_000).toISOString()
