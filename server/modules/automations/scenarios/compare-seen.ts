import type { Micros } from '../run/model/model-run.ts'
import type { SeenKind } from './scenario.ts'

/** Something that has come of a scenario, at a node or before the first (null). */
export type Seen = { kind: SeenKind; what: string; at: Micros; node: string | null }
export type ExpectedThen = { kind: SeenKind; what: string; at: Micros | null }

/** Expected and seen beside each other: `other_time` has happened at another moment than was expected. */
export const LINE_OUTCOMES = ['met', 'other_time', 'missing', 'unexpected'] as const
export type SeenLine = {
  outcome: (typeof LINE_OUTCOMES)[number]
  kind: SeenKind
  what: string
  node: string | null
  expectedAt: Micros | null
  seenAt: Micros | null
}

/**
 * Pairs each expectation with what was seen of it: with its own moment first, then at any moment where none is named, then with one
 * at another moment. The rest of either side is missing or unexpected; of refusals nothing is unexpected. In order of time.
 */
export function compareSeen(expected: readonly ExpectedThen[], seen: readonly Seen[]): SeenLine[] {
  const left = new Set(seen)
  const pairs = new Map<ExpectedThen, Seen>()
  const passes: readonly ((of: ExpectedThen, one: Seen) => boolean)[] = [
    (of, one) => of.at === one.at,
    (of) => of.at === null,
    () => true,
  ]
  for (const fits of passes) {
    for (const of of expected) {
      if (pairs.has(of)) continue
      const found = [...left].find((one) => one.kind === of.kind && isSame(one, of) && fits(of, one))
      if (found === undefined) continue
      pairs.set(of, found)
      left.delete(found)
    }
  }
  const lines = expected.map((of) => lineOf(of, pairs.get(of)))
  const unexpected = [...left].filter(({ kind }) => kind !== 'refused')
  return [...lines, ...unexpected.map(unexpectedLine)].sort(byTime)
}

/** Tags are the same whatever their case is. */
const isSame = (one: Seen, { what }: ExpectedThen) => one.what.toLowerCase() === what.toLowerCase()

function lineOf({ kind, what, at }: ExpectedThen, seen: Seen | undefined): SeenLine {
  const node = seen?.node ?? (kind === 'mail' ? what : null)
  const line = { kind, what, node, expectedAt: at, seenAt: seen?.at ?? null }
  if (seen === undefined) return { ...line, outcome: 'missing' }
  return { ...line, outcome: at === null || at === seen.at ? 'met' : 'other_time' }
}

const unexpectedLine = ({ kind, what, node, at }: Seen): SeenLine => ({
  ...{ outcome: 'unexpected', kind, what, node, expectedAt: null, seenAt: at },
})

const byTime = (one: SeenLine, other: SeenLine) => momentOf(one) - momentOf(other)
const momentOf = ({ seenAt, expectedAt }: SeenLine) => seenAt ?? expectedAt ?? Number.MAX_SAFE_INTEGER
