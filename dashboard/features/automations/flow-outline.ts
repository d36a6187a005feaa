import type { Flow } from './flow.ts'
import type { FlowNode } from './flow-node.ts'
import { type Line, treeOf } from './flow-tree.ts'

/**
 * A line of the outline: a node, a way that begins below it, where a way goes on that is listed elsewhere; and, where all ends
 * are told, that a way ends or at which step it meets the others.
 */
export type OutlineRow = { key: string; depth: number } & (
  | { is: 'node'; id: string; node: FlowNode }
  | { is: 'way'; of: FlowNode; way: string }
  | { is: 'on' | 'end' | 'meets'; to: string }
)

/** All nodes in the order in which people come to them, each once; ways that part one step in. */
export function outlineOf(flow: Flow, { ends = false } = {}): OutlineRow[] {
  const rows: OutlineRow[] = []
  const list = ({ steps, tail }: Line, depth: number): void => {
    for (const { id, node, ways } of steps) {
      rows.push({ is: 'node', id, node, depth, key: `node ${id}` })
      for (const { way, line } of ways) {
        rows.push({ is: 'way', of: node, way, depth: depth + 1, key: `way ${id} ${way}` })
        list(line, depth + 1)
      }
    }
    // Ways that have parted within this line say themselves where they come together; a step that ends it says so itself.
    const isSaid = tail.place.edges.length === 0 || (tail.is === 'meets' && (steps.at(-1)?.ways.length ?? 0) > 0)
    if (tail.is === 'on' || (ends && tail.is !== 'parts' && !isSaid)) {
      rows.push({ is: tail.is, to: tail.place.to, depth, key: `${rows.length} ${tail.is} ${tail.place.to}` })
    }
  }
  list(treeOf(flow), 0)
  return rows
}

/** How a way goes on, or that it does not, where that is told in one line. */
export function tailText(row: OutlineRow, nameOf: (id: string) => string): string | undefined {
  switch (row.is) {
    case 'on':
      return `Goes on at ${nameOf(row.to)}`
    case 'meets':
      return `Meets the others at ${nameOf(row.to)}`
    case 'end':
      return 'Ends here'
    default:
      return undefined
  }
}
