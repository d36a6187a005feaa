import { END } from '../flow.ts'
import { record, text } from '../flow-node.ts'
import { namedNode } from '../node-words.ts'
import type { NameOf } from '../rule-words.ts'
import { type Definition, nodesOf } from './edit-flow.ts'

/** A step in a few words, where something else speaks of it. */
export function stepName(definition: Definition, id: string, referenceName?: NameOf): string {
  if (id === END) return 'the end'
  const node = Object.hasOwn(nodesOf(definition), id) ? record(nodesOf(definition)[id]) : undefined
  return node === undefined ? id : namedNode({ ...node, type: text(node.type) }, referenceName)
}
