import type { FlowNode } from '../flow-node.ts'
import type { Line, Place, Tail } from '../flow-tree.ts'

/**
 * A row of the outline that is edited. `after` is the place behind it, where there is one; `up` and `down` are those to which
 * a step moves among its neighbours.
 */
export type EditRow = { key: string; level: number; after: Place | undefined } & (
  | { is: 'enter' }
  | {
      is: 'step'
      id: string
      node: FlowNode
      up: Place | undefined
      down: Place | undefined
      /** How many ways come together before it, where some had parted: each says so in a row above, a mail's two edges as one. */
      meeting: number
    }
  | { is: 'way'; of: string; node: FlowNode; way: string; place: Place }
  | { is: 'tail'; tail: Tail }
)

export const ENTER_KEY = 'enter'
export const SETTINGS_KEY = 'settings'
export const stepKey = (id: string) => `step ${id}`
export const wayKey = (of: string, way: string) => `way ${of} ${way}`

/** The tree from top to bottom: how people come in, then each step with its ways below it, and where each way ends. */
export function editRows(tree: Line): EditRow[] {
  const rows: EditRow[] = [{ key: ENTER_KEY, level: 1, is: 'enter', after: tree.head }]
  const list = ({ head, steps, tail }: Line, level: number): void => {
    const after = (at: number) => steps[at + 1]?.before ?? (tail.is === 'parts' ? undefined : tail.place)
    for (const [at, { id, node, ways }] of steps.entries()) {
      const [up, down] = [steps[at - 1]?.before, at + 1 < steps.length ? after(at + 1) : undefined]
      const behind = after(at) ?? ways[0]?.line.head
      const meeting = rows.filter(
        (row) => row.is === 'tail' && row.tail.is === 'meets' && row.tail.place.to === id,
      ).length
      rows.push({
        key: stepKey(id),
        level,
        is: 'step',
        id,
        node,
        after: usable(behind),
        up,
        down: usable(down),
        meeting,
      })
      for (const { way, line } of ways) {
        rows.push({
          key: wayKey(id, way),
          level: level + 1,
          is: 'way',
          of: id,
          node,
          way,
          place: line.head,
          after: line.head,
        })
        list(line, level + 2)
      }
    }
    // One way leads to the head of a line, and to no other: the edges of two ends may be the same, where both go on at one step.
    const [way] = head.edges
    // Ways that have parted within this line say themselves where they come together.
    const isSaid = tail.is === 'meets' && (steps.at(-1)?.ways.length ?? 0) > 0
    if (tail.is !== 'parts' && way && tail.place.edges.length > 0 && !isSaid) {
      rows.push({
        key: `${tail.is === 'meets' ? 'meets' : 'tail'} ${way.from} ${way.way}`,
        level,
        is: 'tail',
        tail,
        after: tail.place,
      })
    }
  }
  list(tree, 1)
  return rows
}

const usable = (place: Place | undefined) => (place === undefined || place.edges.length === 0 ? undefined : place)
