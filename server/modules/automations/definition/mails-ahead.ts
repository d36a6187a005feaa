import { DAY_MS } from '../../../platform/durations.ts'
import { type Definition, END, type Node, type Span, type Target, waysOf } from './definition.ts'

/*
 * When mails may go out, and when they surely have, along all ways that a definition has: nobody knows yet which way a branch, a split
 * or an event sends somebody. Moments are milliseconds from when somebody sets out, the first mail's at 0 of a list.
 */

/** Mails of one person that are counted: with more of them a day, they go in a circle. */
export const MAILS_MAX = 100

const SHORTEST_MONTH_DAYS = 28

/** How far it is looked ahead, and how long a day of the calendar is until then at least (`shortestDayMs`). */
export type Ahead = { untilMs: number; shortestDayMs: number }

type Nodes = Definition['nodes']

/** The soonest moments for whoever comes to one of some nodes: by the shortest times, skipping what may be skipped. */
export function soonestMails(nodes: Nodes, from: readonly Target[], ahead: Ahead): number[] {
  const moments: number[] = []
  let reached = new Map(from.map((id): [Target, number] => [id, 0]))
  while (moments.length < MAILS_MAX) {
    const mailed = new Map<Target, number>()
    for (const [id, ms] of soonestBetweenMails(nodes, reached, ahead)) {
      const node = nodeAt(nodes, id)
      if (node?.type === 'email') mailed.set(node.to, Math.min(ms, mailed.get(node.to) ?? ms))
    }
    if (mailed.size === 0) break
    moments.push(Math.min(...mailed.values()))
    reached = mailed
  }
  return moments
}

/** How soon each node may be reached from some without a mail: the soonest first, so that each is gone on from once (Dijkstra). */
function soonestBetweenMails(nodes: Nodes, from: ReadonlyMap<Target, number>, ahead: Ahead): Map<Target, number> {
  const soonest = new Map(from)
  const open = new Map(from)
  while (open.size > 0) {
    const [id, ms] = [...open].reduce((one, other) => (other[1] < one[1] ? other : one))
    open.delete(id)
    for (const [to, afterMs] of stepsOf(nodeAt(nodes, id), ahead)) {
      const at = ms + afterMs
      if (at > ahead.untilMs || at >= (soonest.get(to) ?? Number.POSITIVE_INFINITY)) continue
      soonest.set(to, at)
      open.set(to, at)
    }
  }
  return soonest
}

/** Where somebody may go from a node without being mailed, and how long they rest before at least. */
function stepsOf(node: Node | undefined, { shortestDayMs }: Ahead): [Target, number][] {
  const shortest = (span: Span) => leastDays(span) * shortestDayMs + span.ms
  if (node === undefined) return []
  if (node.type === 'email') return [[node.skipped, 0]]
  if (node.type === 'delay') {
    // With a time of day, days count dates: one is over at midnight.
    const { at, span } = node
    return [[node.to, at === null ? shortest(span) : Math.max(0, leastDays(span) - 1) * shortestDayMs + span.ms]]
  }
  return waysOf(node).map(({ way, to }) => [to, node.type === 'wait' && way === 'late' ? shortest(node.timeout) : 0])
}

const leastDays = ({ months, days }: Span) => months * SHORTEST_MONTH_DAYS + days

/**
 * The latest moments within a day for whoever comes to one of some nodes, whichever it is and whichever ways they go, provided that they
 * may be mailed and that nothing takes them out.
 */
export function surestMails(nodes: Nodes): (from: readonly Target[]) => number[] {
  const layers: ReadonlyMap<Target, number>[] = []
  return (from) => {
    const moments: number[] = []
    while (moments.length < MAILS_MAX) {
      const n = moments.length
      layers[n] ??= latestOfMail(nodes, layers[n - 1])
      const latest = Math.max(...from.map((id) => layers[n]!.get(id) ?? Number.POSITIVE_INFINITY))
      if (latest > DAY_MS) break
      moments.push(latest)
    }
    return moments
  }
}

/** When the next mail of whoever comes to a node has surely gone out, or with moments `behind` a mail the one that they are of. */
function latestOfMail(nodes: Nodes, behind: ReadonlyMap<Target, number> | undefined): Map<Target, number> {
  const latest = new Map<Target, number>([[END, Number.POSITIVE_INFINITY]])
  const at = (id: Target): number => {
    const known = latest.get(id)
    if (known !== undefined) return known
    // A circle without a mail may be gone round for ever.
    latest.set(id, Number.POSITIVE_INFINITY)
    const node = nodes[id]!
    const ms =
      node.type === 'email'
        ? behind === undefined
          ? 0
          : behind.get(node.to)!
        : longest(node) +
          Math.max(...waysOf(node).map(({ to }) => at(to)), node.type === 'end' ? Number.POSITIVE_INFINITY : 0)
    latest.set(id, ms)
    return ms
  }
  for (const id of Object.keys(nodes)) at(id)
  return latest
}

/** How long a node may hold somebody: what goes by the calendar may be more than a day. */
function longest(node: Node): number {
  const span = node.type === 'delay' ? node.span : node.type === 'wait' ? node.timeout : undefined
  if (span === undefined) return 0
  const isExact = node.type !== 'delay' || (node.at === null && node.on.length === 0)
  return isExact && span.months + span.days === 0 ? span.ms : Number.POSITIVE_INFINITY
}

const nodeAt = (nodes: Nodes, id: Target): Node | undefined => (id === END ? undefined : nodes[id])
