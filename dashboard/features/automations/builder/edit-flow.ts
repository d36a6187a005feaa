import { END, flowOf, waysOf } from '../flow.ts'
import { list, record, text } from '../flow-node.ts'
import { type Edge, edgesTo, FIRST, meetingOf, type Place, reachable, reachOf, START } from '../flow-tree.ts'

/** A definition as it is written: JSON of which keys that are not known stay where they are. */
export type Definition = Readonly<Record<string, unknown>>
export type StepJson = Readonly<Record<string, unknown>>

export const nodesOf = (definition: Definition) => record(definition.nodes) as Record<string, StepJson>

/** The definition with these nodes; places of those that are gone on a canvas go with them. */
function withNodes(definition: Definition, nodes: Record<string, StepJson>): Definition {
  const places = Object.entries(record(definition.layout)).filter(([id]) => Object.hasOwn(nodes, id))
  const layout = definition.layout === undefined ? {} : { layout: Object.fromEntries(places) }
  return { ...definition, nodes, ...layout }
}

/** Has these edges lead to a node, or to END. */
export function leadTo(definition: Definition, edges: readonly Edge[], to: string): Definition {
  const nodes = { ...nodesOf(definition) }
  for (const { from, way } of edges) {
    const node = nodes[from]
    if (node !== undefined) nodes[from] = withTarget(node, way, to)
  }
  const start = edges.some(({ from }) => from === START) ? { start: to } : {}
  return { ...definition, ...start, nodes }
}

function withTarget(node: StepJson, way: string, to: string): StepJson {
  switch (node.type) {
    case 'email': {
      const sent = text(node.to) || END
      const ways = { to: sent, skipped: text(node.skipped) || sent, [way]: to }
      const { skipped: _, ...others } = node
      return ways.to === ways.skipped ? { ...others, to: ways.to } : { ...others, ...ways }
    }
    case 'wait':
      return way === 'late' ? { ...node, late: to } : { ...node, for: withWay(node.for, way, to) }
    case 'branch':
      return way === 'else' ? { ...node, else: to } : { ...node, ways: withWay(node.ways, way, to) }
    case 'split':
      return { ...node, ways: withWay(node.ways, way, to) }
    default:
      return { ...node, to }
  }
}

const withWay = (ways: unknown, way: string, to: string) =>
  list(ways).map((one, at) => (String(at) === way ? { ...one, to } : one))

export function targetOf(definition: Definition, { from, way }: Edge): string {
  const flow = flowOf(definition)
  if (from === START) return flow.start
  const node = flow.nodes.get(from)
  return (node && waysOf(node).find((one) => one.way === way)?.to) ?? END
}

/** Drops what nobody can come to: a definition with such nodes is none. */
export function withoutUnreached(definition: Definition): Definition {
  const flow = flowOf(definition)
  const reached = reachable(flow, flow.start)
  if (reached.size === flow.nodes.size) return definition
  return withNodes(
    definition,
    Object.fromEntries(Object.entries(nodesOf(definition)).filter(([id]) => reached.has(id))),
  )
}

/** Puts a step where these edges lead; it goes on where they led. An end stands only where nothing follows. */
export function insertStep(
  definition: Definition,
  edges: readonly Edge[],
  { id, make }: { id: string; make: (to: string) => StepJson },
): Definition {
  const to = targetOf(definition, edges[0] ?? FIRST)
  const step = make(to)
  if (step.type === 'end' && to !== END) return definition
  const grown = { ...definition, nodes: { ...nodesOf(definition), [id]: step } }
  return leadTo(grown, edges, id)
}

/** A step with all that hangs on it alone, up to where its ways come together again: `next`. */
export type Block = { ids: ReadonlySet<string>; next: string }

export function blockOf(definition: Definition, id: string): Block {
  const flow = flowOf(definition)
  const node = flow.nodes.get(id)
  const ways = node === undefined ? [] : waysOf(node)
  const isOne = ways.every(({ to }) => to === ways[0]?.to)
  const next = (isOne ? ways[0]?.to : meetingOf(ways, reachOf(flow))) ?? END
  if (isOne) return { ids: new Set([id]), next: next === id ? END : next }
  // A way back to the step itself is no end of its block.
  const stop = next === id ? END : next
  const others = reachable(flow, flow.start, new Set([id]))
  const below = [...reachable(flow, id, new Set([stop]))].filter((one) => one === id || !others.has(one))
  return { ids: new Set(below), next: stop }
}

/** Takes a step out with all that hangs on it alone; or, with `keep`, all but what follows by that way. */
export function removeStep(definition: Definition, id: string, keep?: string): Definition {
  const { next } = blockOf(definition, id)
  const kept = keep === undefined ? next : targetOf(definition, { from: id, way: keep })
  return cutOut(definition, id, kept === id ? END : kept)
}

function cutOut(definition: Definition, id: string, next: string): Definition {
  return withoutUnreached(leadTo(definition, edgesTo(flowOf(definition), id), next))
}

/** Changes a step's own fields; undefined takes one away. */
export function changeStep(definition: Definition, id: string, change: StepJson): Definition {
  const nodes = nodesOf(definition)
  return { ...definition, nodes: { ...nodes, [id]: merged(nodes[id] ?? {}, change) } }
}

/** Changes parts beside the nodes; undefined takes one away. */
export function changePart(definition: Definition, change: StepJson): Definition {
  return merged(definition, change)
}

function merged(value: StepJson, change: StepJson): StepJson {
  return Object.fromEntries(Object.entries({ ...value, ...change }).filter(([, one]) => one !== undefined))
}

/**
 * Moves a step, with what hangs on it alone, to where these edges lead; undefined for a place within itself, and for a step
 * that does not go on where something follows.
 */
export function moveStep(definition: Definition, id: string, place: Place): Definition | undefined {
  const { ids, next } = blockOf(definition, id)
  if (place.edges.length === 0 || place.edges.some(({ from }) => ids.has(from))) return undefined
  const out = edgesOut(definition, { ids, next })
  // Ways of its own that lead back to it stay as they are.
  const into = edgesTo(flowOf(definition), id).filter(({ from }) => !ids.has(from))
  const without = leadTo(definition, into, next)
  const to = targetOf(without, place.edges[0]!)
  if (out.length === 0 && to !== END) return undefined
  return withoutUnreached(leadTo(leadTo(without, out, to), place.edges, id))
}

/** Edges of a block that leave it for where it goes on. */
export function edgesOut(definition: Definition, { ids, next }: Block): Edge[] {
  return edgesTo(flowOf(definition), next).filter(({ from }) => ids.has(from))
}
