import type { Proof } from '../../../catalogue/proofs.ts'
import type { SegmentFacts } from '../../segments/read-rules.ts'
import type { Restraints } from '../../sending/restraint/restraints.ts'
import type { Micros } from '../run/model/model-run.ts'

/**
 * All that is the same for everybody in one simulation. It goes to the thread that walks people, so it is plain data; definitions
 * are the JSON that was written.
 */
export type SimulationPlan = {
  automationId: string
  /** Events in [from, until) bring people in; timers run until `until`. */
  from: Micros
  until: Micros
  draft: string
  /** The version in force; null: there is none to compare with. */
  live: string | null
  facts: Omit<SegmentFacts, 'now'>
  /** Whether marketing goes to those alone who have confirmed. */
  doubleOptIn: boolean
  /** Quiet hours and the cap, as the workspace has them now. */
  restraints: Restraints
  /** Of 10,000 people who get the mail of a node so many click in it. */
  clickShares: Readonly<Record<string, number>>
}

/** A person as a page of them brings it: everything as it is now, and what happened with its moments. */
export type PageContact = {
  id: string
  zone: string | null
  hasEmail: boolean
  createdAt: Micros
  updatedAt: Micros
  columns: Readonly<Record<string, string | null>>
  custom: Readonly<Record<string, unknown>>
  tagIds: readonly string[]
  /** When they subscribed to topics. */
  topics: readonly (readonly [topicId: string, at: Micros])[]
  suppressed: readonly [reason: string, at: Micros] | null
  unsubscribed: readonly (readonly [sendingSource: string, at: Micros])[]
  consentAt: Micros | null
  /** [position, recorded, occurred, name, the properties that anybody asks for, the proof of a browser's event]. */
  events: readonly (readonly [string, Micros, Micros, string, Readonly<Record<string, unknown>> | null, Proof | null])[]
  /** Mails of broadcasts and of other automations by when they went, since before the window as far back as a place is taken. */
  others: readonly (readonly [kind: 'broadcast' | 'automation', id: string, at: Micros, isMarketing: boolean])[]
}
