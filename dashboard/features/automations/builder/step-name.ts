import { END, flowOf } from '../flow.ts'
import { record, text } from '../flow-node.ts'
import { outlineOf } from '../flow-outline.ts'
import { namedNode } from '../node-words.ts'
import type { NameOf } from '../rule-words.ts'
import { type Definition, nodesOf } from './edit-flow.ts'

/** A step in a few words, where something else speaks of it. */
export function stepName(definition: Definition, id: string, referenceName?: NameOf): string {
  if (id === END) return 'the end'
  const name = ownName(definition, id, referenceName)
  return name === undefined ? id : `${name}${whichText(definition, id, referenceName)}`
}

/** Which of several steps that say the same it is, as they stand from top to bottom: ` (2 of 3)`. */
export function whichText(definition: Definition, id: string, referenceName?: NameOf): string {
  const nodes = nodesOf(definition)
  const name = ownName(definition, id, referenceName)
  const isAlike = (other: string) =>
    record(nodes[other]).type === record(nodes[id]).type && ownName(definition, other, referenceName) === name
  if (Object.keys(nodes).filter(isAlike).length < 2) return ''
  const alike = orderOf(definition).filter(isAlike)
  return alike.length < 2 || !alike.includes(id) ? '' : ` (${alike.indexOf(id) + 1} of ${alike.length})`
}

function ownName(definition: Definition, id: string, referenceName?: NameOf): string | undefined {
  const node = Object.hasOwn(nodesOf(definition), id) ? record(nodesOf(definition)[id]) : undefined
  return node === undefined ? undefined : namedNode({ ...node, type: text(node.type) }, referenceName)
}

/** One definition is asked for the names of all its steps. */
const orders = new WeakMap<Definition, string[]>()

function orderOf(definition: Definition): string[] {
  const known = orders.get(definition)
  if (known) return known
  const order = outlineOf(flowOf(definition)).flatMap((row) => (row.is === 'node' ? [row.id] : []))
  orders.set(definition, order)
  return order
}
