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
  const known = kept.get(definition)
  if (known && known.referenceName === referenceName) return known.texts.get(id) ?? ''
  const texts = alikeTexts(definition, referenceName)
  kept.set(definition, { referenceName, texts })
  return texts.get(id) ?? ''
}

type Texts = ReadonlyMap<string, string>
/** A list of all steps asks for each of them: they are told apart once. */
const kept = new WeakMap<Definition, { referenceName: NameOf | undefined; texts: Texts }>()

/** Ids of the steps as they stand from top to bottom; those to which no way leads come last. */
export function stepsInOrder(definition: Definition): string[] {
  const listed = outlineOf(flowOf(definition)).flatMap((row) => (row.is === 'node' ? [row.id] : []))
  return [...new Set([...listed, ...Object.keys(nodesOf(definition))])]
}

function alikeTexts(definition: Definition, referenceName?: NameOf): Texts {
  const order = stepsInOrder(definition)
  const typeOf = (id: string) => text(record(nodesOf(definition)[id]).type)
  const alike = Map.groupBy(order, (id) => `${typeOf(id)} ${ownName(definition, id, referenceName)}`)
  return new Map(
    [...alike.values()]
      .filter((ids) => ids.length > 1)
      .flatMap((ids) => ids.map((id, n) => [id, ` (${n + 1} of ${ids.length})`] as const)),
  )
}

function ownName(definition: Definition, id: string, referenceName?: NameOf): string | undefined {
  const node = Object.hasOwn(nodesOf(definition), id) ? record(nodesOf(definition)[id]) : undefined
  return node === undefined ? undefined : namedNode({ ...node, type: text(node.type) }, referenceName)
}
