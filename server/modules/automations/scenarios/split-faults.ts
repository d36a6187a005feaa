import type { FieldError } from '../../../platform/problem.ts'
import type { Definition } from '../definition/definition.ts'
import { escaped } from '../definition/reading.ts'
import type { Scenario } from './scenario.ts'

/** Ways of `person.split` that a definition does not have, or sends nobody; the n-th scenario cannot be played with them. */
export function splitFaults({ nodes }: Definition, { person }: Scenario, n: number): FieldError[] {
  return Object.entries(person.split).flatMap(([id, way]) => {
    const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined
    const detail = node?.type === 'split' ? faultOf(node.ways[way]) : 'must be the id of a split'
    return detail === undefined ? [] : [{ pointer: `/scenarios/${n}/person/split/${escaped(id)}`, detail }]
  })
}

function faultOf(way: { weight: number } | undefined): string | undefined {
  if (way === undefined) return 'must be the number of one of its ways, counted from 0'
  return way.weight > 0 ? undefined : 'must be a way that somebody goes: the weight of this one is 0'
}
