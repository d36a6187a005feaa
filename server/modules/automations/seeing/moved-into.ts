import { type Definition, waysOf } from '../definition/definition.ts'

type Sum = { version: number; node: string; kind: string; n: number }

/** The way by which whoever comes along into another version leaves a node of their own. */
export const MOVED_OUT = 'left:moved'

/**
 * How many came to a node of a version out of another one, by publishing: all who entered it, less those whom the version's own ways led
 * there. The sums have no kind for them, so that this holds of all that was ever counted.
 */
export function movedInto(
  sums: readonly Sum[],
  definitions: ReadonlyMap<number, Definition>,
): (version: number, node: string) => number {
  const moved = new Map<string, number>()
  const add = (version: number, node: string, n: number) => {
    const key = `${version}/${node}`
    moved.set(key, (moved.get(key) ?? 0) + n)
  }
  for (const { version, node, kind, n } of sums) {
    if (node !== '' && kind === 'entered') add(version, node, n)
    const to = kind.startsWith('left:')
      ? targetOf(definitions.get(version), node, kind.slice('left:'.length))
      : undefined
    if (to !== undefined) add(version, to, -n)
  }
  return (version, node) => (definitions.has(version) ? (moved.get(`${version}/${node}`) ?? 0) : 0)
}

function targetOf(definition: Definition | undefined, id: string, way: string): string | undefined {
  if (id === '') return definition?.start
  const node = definition?.nodes[id]
  return node && waysOf(node).find((one) => one.way === way)?.to
}
