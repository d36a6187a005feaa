import { type Definition, END, type Target } from './definition.ts'

/** How publishing goes about those inside: they stay in their version, come into the new one, or leave. */
export const INSIDE = ['stay', 'move', 'exit'] as const
export type Inside = (typeof INSIDE)[number]

/** How a map names the place of whoever leaves the automation. */
export const EXIT = 'exit'
/** The same where it stands beside ids of nodes, one of which may be called `exit`. */
export const LEAVES = ':leaves'

/** Where those at a node go on, by its id: a node of the new version, END or EXIT. */
export type PlaceMap = Readonly<Record<string, Target>>

/** The way of those inside into a version. `nodes`: only those at these; null: all. */
export type Moving = { inside: Inside; map: PlaceMap; nodes: readonly string[] | null }

/**
 * Where somebody at a node goes on in a version (LEAVES: nowhere): as the map says, else at the node of the same id. Undefined:
 * they stay where they are, for there is none, or nobody meant them.
 */
export function placeIn(version: Definition, { inside, map, nodes }: Moving, node: string): Target | undefined {
  if (inside === 'stay' || (nodes !== null && !nodes.includes(node))) return undefined
  if (inside === 'exit') return LEAVES
  const named = Object.hasOwn(map, node) ? map[node] : undefined
  if (named === EXIT) return LEAVES
  if (named !== undefined) return isPlace(version, named) ? named : undefined
  return Object.hasOwn(version.nodes, node) ? node : undefined
}

export function isPlace({ nodes }: Definition, place: string): boolean {
  return place === END || place === EXIT || Object.hasOwn(nodes, place)
}
