import { flowOf } from '../flow.ts'
import { list, record } from '../flow-node.ts'
import type { Definition } from './edit-flow.ts'

/** The names of all variables that steps of a definition set. */
export function variablesOf(definition: Definition): string[] {
  const names = [...flowOf(definition).nodes.values()].flatMap((node) => [
    ...Object.keys(node.type === 'set' ? record(node.set) : {}),
    ...(node.type === 'wait' ? list(node.for).flatMap((way) => Object.keys(record(way.set))) : []),
  ])
  return [...new Set(names)].filter((name) => name !== '').sort()
}
