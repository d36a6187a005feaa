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

export type Way = { way: string; to: string }

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
