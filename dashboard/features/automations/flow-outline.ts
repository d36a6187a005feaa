import type { Flow } from './flow.ts'
import type { FlowNode } from './flow-node.ts'
import { type Line, treeOf } from './flow-tree.ts'

/** A line of the outline: a node, a way that begins below it, or where a way goes on that is listed elsewhere. */
export type OutlineRow = { key: string; depth: number } & (
  | { is: 'node'; id: string; node: FlowNode }
  | { is: 'way'; of: FlowNode; way: string }
  | { is: 'on'; to: string }
)

/** All nodes in the order in which people come to them, each once; ways that part one step in. */
export function outlineOf(flow: Flow): OutlineRow[] {
  const rows: OutlineRow[] = []
  const list = ({ steps, tail }: Line, depth: number): void => {
    for (const { id, node, ways } of steps) {
      rows.push({ is: 'node', id, node, depth, key: `node ${id}` })
      for (const { way, line } of ways) {
        rows.push({ is: 'way', of: node, way, depth: depth + 1, key: `way ${id} ${way}` })
        list(line, depth + 1)
      }
    }
    if (tail.is === 'on') rows.push({ is: 'on', to: tail.place.to, depth, key: `${rows.length} on ${tail.place.to}` })
  }
  list(treeOf(flow), 0)
  return rows
}
