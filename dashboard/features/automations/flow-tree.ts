import { END, type Flow, type Way, waysOf } from './flow.ts'
import type { FlowNode } from './flow-node.ts'

/** One way out of a node; `from` is START for the one by which everybody begins. */
export type Edge = { from: string; way: string }
/** No id: ids have at least a character. */
export const START = ''
export const FIRST: Edge = { from: START, way: 'start' }

/** A place between steps: the edges that lead over it, all to the same target. */
export type Place = { edges: readonly Edge[]; to: string }

/** Steps one after the other, and how the last of them goes on. */
export type Line = { head: Place; steps: readonly Step[]; tail: Tail }
export type Step = {
  id: string
  node: FlowNode
  before: Place
  /** Where its ways part; none where it has one way out. */
  ways: readonly { way: string; line: Line }[]
}
/**
 * `end`: the run ends. `on`: it goes on at a step that stands elsewhere. `meets`: at the step that follows the one whose ways
 * have parted. `parts`: the last step's ways part for good.
 */
export type Tail = { is: 'end' | 'on' | 'meets' | 'parts'; place: Place }

/**
 * A graph as lines in lines: each node that anybody can come to once, in the order in which people come to them. Ways that
 * part stand below their node; where all that go on come together again, the line of that node goes on. Outline and canvas
 * are both made of it, so that neither can show what the other does not.
 */
export function treeOf(flow: Flow): Line {
  const seen = new Set<string>()
  const reached = reachOf(flow)

  const follow = (head: Place, until: ReadonlySet<string>): Line => {
    const steps: Step[] = []
    let place = head
    const tail = (is: Tail['is']): Line => ({ head, steps, tail: { is, place } })
    for (;;) {
      const id = place.to
      const node = flow.nodes.get(id)
      if (node === undefined) return tail('end')
      if (until.has(id)) return tail('meets')
      if (seen.has(id)) return tail('on')
      seen.add(id)
      const ways = waysOf(node)
      const [first] = ways
      if (first === undefined || !parts(node, ways)) {
        steps.push({ id, node, before: place, ways: [] })
        place = { edges: ways.map(({ way }) => ({ from: id, way })), to: first?.to ?? END }
        continue
      }
      const meeting = meetingOf(ways, reached)
      const stops = meeting === undefined ? until : new Set([...until, meeting])
      const below = ways.map(({ way, to }) => ({ way, line: follow({ edges: [{ from: id, way }], to }, stops) }))
      steps.push({ id, node, before: place, ways: below })
      place = { edges: below.flatMap(({ line }) => meetingEdges(line, meeting ?? END)), to: meeting ?? END }
      if (meeting === undefined) return tail('parts')
      // Every way there may lead by a step that stands elsewhere.
      if (place.edges.length === 0) place = { edges: edgesTo(flow, meeting), to: meeting }
    }
  }
  return follow({ edges: [FIRST], to: flow.start }, new Set())
}

/** Ways of a mail, sent or skipped, are one where they lead to the same step; others part wherever they lead. */
function parts({ type }: FlowNode, ways: readonly Way[]): boolean {
  if (type === 'email') return ways.some(({ to }) => to !== ways[0]?.to)
  return type === 'branch' || type === 'split' || type === 'wait'
}

/** Edges of a line that lead to a step, each once: the line's own end may be where ways below have come together. */
function meetingEdges({ steps, tail }: Line, to: string): Edge[] {
  const below = steps.flatMap(({ ways }) => ways.flatMap(({ line }) => meetingEdges(line, to)))
  if (tail.is !== 'meets' || tail.place.to !== to) return below
  const isBelow = (edge: Edge) => below.some(({ from, way }) => from === edge.from && way === edge.way)
  return [...below, ...tail.place.edges.filter((edge) => !isBelow(edge))]
}

/** All edges that lead to a node. */
export function edgesTo(flow: Flow, id: string): Edge[] {
  const first = flow.start === id ? [FIRST] : []
  const others = [...flow.nodes].flatMap(([from, node]) =>
    waysOf(node).flatMap(({ way, to }) => (to === id ? [{ from, way }] : [])),
  )
  return [...first, ...others]
}

/** The first node at which all ways that go on come together again. */
export function meetingOf(ways: readonly Way[], reached: (id: string) => readonly string[]): string | undefined {
  const going = ways.filter(({ to }) => to !== END).map(({ to }) => reached(to))
  const [first, ...others] = going
  return others.length === 0 ? undefined : first?.find((id) => others.every((ids) => ids.includes(id)))
}

/** Nodes that one leads to, itself first, the nearest before the others. */
export function reachOf(flow: Flow): (id: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (from) => {
    const found = known.get(from) ?? [...reachable(flow, from)]
    known.set(from, found)
    return found
  }
}

/** Nodes that one leads to, itself too, without going through any of `without`. */
export function reachable(flow: Flow, from: string, without: ReadonlySet<string> = new Set()): Set<string> {
  const found = new Set(flow.nodes.has(from) && !without.has(from) ? [from] : [])
  // A set that grows is gone through to its new end.
  for (const id of found) {
    const node = flow.nodes.get(id)
    for (const { to } of node === undefined ? [] : waysOf(node)) {
      if (flow.nodes.has(to) && !without.has(to)) found.add(to)
    }
  }
  return found
}
