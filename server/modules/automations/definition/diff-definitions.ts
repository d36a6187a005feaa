import { canonicalJson } from './canonical-json.ts'

/** A definition's JSON as its author wrote it. */
export type Written = { nodes?: Record<string, Record<string, unknown>> } & Record<string, unknown>

export const NODE_CHANGES = ['added', 'removed', 'changed', 'same'] as const
export type NodeDiff = { node: string; change: (typeof NODE_CHANGES)[number]; fields: string[] }

/** Parts beside the nodes that decide anything; where nodes are drawn does not. */
const PARTS = ['class', 'defaultZone', 'sender', 'enter', 'exit', 'goal', 'start'] as const

/** How a version differs from the one before it, of which there may be none: parts, and nodes by their ids. */
export function diffDefinitions(before: Written | undefined, after: Written): { parts: string[]; nodes: NodeDiff[] } {
  const parts = PARTS.filter((part) => isOther(before?.[part], after[part]))
  const [old, now] = [before?.nodes ?? {}, after.nodes ?? {}]
  const ids = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort()
  const nodes = ids.map((node): NodeDiff => {
    const [was, is] = [own(old, node), own(now, node)]
    if (was === undefined || is === undefined) return { node, change: is ? 'added' : 'removed', fields: [] }
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort()
    const fields = keys.filter((key) => isOther(was[key], is[key]))
    return { node, change: fields.length > 0 ? 'changed' : 'same', fields }
  })
  return { parts, nodes }
}

const own = <T>(of: Record<string, T>, key: string): T | undefined => (Object.hasOwn(of, key) ? of[key] : undefined)

/** Null and what is not there are the same. */
function isOther(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) !== canonicalJson(other ?? null)
}
