import type { ContactFieldColumn } from '../../catalogue/contact-fields.ts'
import type { Proof } from '../../catalogue/proofs.ts'

/** Types by which contacts are compared; the types of custom fields, and of the properties of events. */
export type ValueType = 'text' | 'number' | 'boolean' | 'time'

/** A moment (`until` is null), or a whole day from its first moment until the first of the next. RFC 3339, UTC. */
export type Moment = { from: string; until: string | null }

/** The operators behind their many names: `negated` holds for those who have a value for which `match` does not hold. */
export type Comparison = { negated: boolean } & (
  | { type: 'text'; match: Match<string> | TextMatch }
  /** Decimal numbers as text, every digit kept. */
  | { type: 'number'; match: Match<string> }
  | { type: 'boolean'; match: { is: 'equal'; value: boolean } }
  | { type: 'time'; match: Match<Moment> | DaysOfYear }
)

export type Match<V> =
  | { is: 'equal'; value: V }
  | { is: 'below' | 'above'; value: V; orEqual: boolean }
  | { is: 'between'; low: V; high: V }
  | { is: 'oneOf'; values: readonly V[] }
/** A day of one of these, whatever its year: `12-24`. */
export type DaysOfYear = { is: 'dayOfYear'; values: readonly string[] }
export type TextMatch = { is: 'contains' | 'beginsWith' | 'endsWith'; value: string }

export type PropertyTest = { property: string } & ({ comparison: Comparison } | { present: boolean })

/** How often somebody did something: at least `min` (1 or more) and at most `max` times, in [from, until). */
export type Performed = {
  name: string
  min: number
  max: number | null
  from: string | null
  until: string | null
  where: readonly PropertyTest[]
  /** Of events of browsers: how well it is proven whose they are. */
  minProof?: Proof
}

/** Where a value of a contact is: under the first of the keys that it has, for a field that is being renamed. */
export type Subject = { column: ContactColumn } | { custom: readonly string[] }
export type ContactColumn = ContactFieldColumn | 'created_at' | 'updated_at'

/**
 * Membership of a segment, with everything resolved that the workspace knows: types, tags, other segments, the time.
 * Two-valued: whatever a contact lacks, each condition either holds for it or does not.
 */
export type Condition =
  | { kind: 'all' | 'any'; of: readonly Condition[] }
  | { kind: 'not'; of: Condition }
  | { kind: 'present'; subject: Subject }
  | { kind: 'compares'; subject: Subject; comparison: Comparison }
  | { kind: 'tagged'; tagIds: readonly string[] }
  /** Has said yes to one of them. */
  | { kind: 'subscribed'; topicIds: readonly string[] }
  | ({ kind: 'performed' } & Performed)

export const EVERYONE: Condition = { kind: 'all', of: [] }
export const NOBODY: Condition = { kind: 'any', of: [] }
