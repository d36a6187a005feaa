import type { FieldError } from '../../../platform/problem.ts'
import type { Definition } from '../definition/definition.ts'
import { escaped } from '../definition/reading.ts'
import type { Scenario } from './scenario.ts'

/** Ways of `person.split` that a definition does not have, or sends nobody; the n-th scenario cannot be played with them. */
export function splitFaults(definition: Definition, scenario: Scenario, n: number): FieldError[] {
  return faultsOf(definition, scenario).map(({ id, is }) => ({
    pointer: `/scenarios/${n}/person/split/${escaped(id)}`,
    detail: DETAILS[is],
  }))
}

/** The first of them in words, for whoever reads what became of a scenario; its place is said, and no pointer. */
export function splitFaultText(definition: Definition, scenario: Scenario): string | undefined {
  const [first] = faultsOf(definition, scenario)
  return first && `${TEXTS[first.is]} (at “${first.id}”, part ${first.way + 1})`
}

const DETAILS = {
  noSplit: 'must be the id of a split',
  noWay: 'must be the number of one of its ways, counted from 0',
  nobody: 'must be a way that somebody goes: the weight of this one is 0',
}
const TEXTS: Record<keyof typeof DETAILS, string> = {
  noSplit: 'the person is to go a way at a split that is no more',
  noWay: 'the person is to go a way that the split does not have',
  nobody: 'the person is to go a way that nobody goes: its share is 0 %',
}

function faultsOf({ nodes }: Definition, { person }: Scenario) {
  return Object.entries(person.split).flatMap(([id, way]) => {
    const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined
    const is = node?.type === 'split' ? faultOf(node.ways[way]) : 'noSplit'
    return is === undefined ? [] : [{ id, way, is }]
  })
}

function faultOf(way: { weight: number } | undefined): keyof typeof DETAILS | undefined {
  if (way === undefined) return 'noWay'
  return way.weight > 0 ? undefined : 'nobody'
}
