import { type FlowNode, list, record, text } from './flow-node.ts'

/** The nodes of a definition by their ids, and where everybody begins. */
export type Flow = { start: string; nodes: ReadonlyMap<string, FlowNode> }

/** The target of a way that ends the run. */
export const END = 'end'

export function flowOf(definition: Readonly<Record<string, unknown>>): Flow {
  const nodes = Object.entries(record(definition.nodes)).map(
    ([id, node]) => [id, { ...record(node), type: text(record(node).type) }] as const,
  )
  return { start: text(definition.start) || END, nodes: new Map(nodes) }
}

type Way = { way: string; to: string }

/** The ways out of a node, by the names that counts and traces give them. */
export function waysOf(node: FlowNode): Way[] {
  const to = text(node.to) || END
  switch (node.type) {
    case 'end':
      return []
    case 'email':
      return [
        { way: 'to', to },
        { way: 'skipped', to: text(node.skipped) || to },
      ]
    case 'wait':
      return [...numbered(node.for), { way: 'late', to: text(node.late) || END }]
    case 'branch':
      return [...numbered(node.ways), { way: 'else', to: text(node.else) || END }]
    case 'split':
      return numbered(node.ways)
    default:
      return [{ way: 'to', to }]
  }
}

const numbered = (ways: unknown): Way[] => list(ways).map(({ to }, at) => ({ way: String(at), to: text(to) || END }))

/** A line of the outline: a node, a way that begins below it, or where a way goes on that is listed elsewhere. */
export type OutlineRow = { key: string; depth: number } & (
  | { is: 'node'; id: string; node: FlowNode }
  | { is: 'way'; of: FlowNode; way: string }
  | { is: 'on'; to: string }
)

/**
 * All nodes in the order in which people come to them, each once. Ways that part stand below their node, one step in; where
 * they all come together again, the outline goes on at the depth of that node.
 */
export function outlineOf(flow: Flow): OutlineRow[] {
  const rows: OutlineRow[] = []
  const seen = new Set<string>()
  const reached = reachOf(flow)

  /** From a node on, until the end, a node of `until`, or one that stands in the outline already. */
  const follow = (from: string, depth: number, until: ReadonlySet<string>): void => {
    let id = from
    for (;;) {
      const node = flow.nodes.get(id)
      if (node === undefined || until.has(id)) return
      if (seen.has(id)) {
        rows.push({ is: 'on', to: id, depth, key: `${rows.length} on ${id}` })
        return
      }
      seen.add(id)
      rows.push({ is: 'node', id, node, depth, key: `node ${id}` })
      const ways = distinct(waysOf(node))
      if (ways.length < 2) {
        id = ways[0]?.to ?? END
        continue
      }
      const meeting = meetingOf(ways, reached)
      const stops = meeting === undefined ? until : new Set([...until, meeting])
      for (const { way, to } of ways) {
        rows.push({ is: 'way', of: node, way, depth: depth + 1, key: `way ${id} ${way}` })
        follow(to, depth + 1, stops)
      }
      id = meeting ?? END
    }
  }
  follow(flow.start, 0, new Set())
  return rows
}

/** Ways that lead to one place are one, where nothing but their names parts them: a mail, sent or skipped. */
function distinct(ways: readonly Way[]): readonly Way[] {
  return ways.every(({ to }) => to === ways[0]?.to) ? ways.slice(0, 1) : ways
}

/** The first node at which all ways that go on come together again. */
function meetingOf(ways: readonly Way[], reached: (id: string) => readonly string[]): string | undefined {
  const going = ways.filter(({ to }) => to !== END).map(({ to }) => reached(to))
  const [first, ...others] = going
  return others.length === 0 ? undefined : first?.find((id) => others.every((ids) => ids.includes(id)))
}

/** Nodes that one leads to, itself first, the nearest before the others. */
function reachOf(flow: Flow): (id: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (from) => {
    const found = known.get(from) ?? [...reachable(flow, from)]
    known.set(from, found)
    return found
  }
}

function reachable(flow: Flow, from: string): ReadonlySet<string> {
  const found = new Set([from])
  // A set that grows is gone through to its new end.
  for (const id of found) {
    const node = flow.nodes.get(id)
    for (const { to } of node === undefined ? [] : waysOf(node)) if (flow.nodes.has(to)) found.add(to)
  }
  return found
}
