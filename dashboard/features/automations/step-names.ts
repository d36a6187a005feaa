import type { Definition } from './builder/edit-flow.ts'
import { stepName } from './builder/step-name.ts'
import { END, flowOf } from './flow.ts'
import type { FlowNode } from './flow-node.ts'
import { wayText } from './node-words.ts'
import { useReferenceNames } from './reference-names.ts'
import type { NameOf } from './rule-words.ts'
import { usePublished } from './step-of-version.tsx'

export type StepNames = {
  /** `Mail: You left something behind`; a step that this version does not have keeps its id. */
  step: (node: string) => string
  /** The way by which a step was left, where it says more than that it goes on. */
  way: (node: string, way: string) => string | undefined
  node: (id: string) => FlowNode | undefined
  nameOf: NameOf
}

/** Steps of a version of an automation in words, for places where a program would name them by id. */
export function useStepNames(automationId: string, version: number | null): StepNames {
  const definition = usePublished(automationId, version).data?.definition ?? {}
  return namesIn(definition, useReferenceNames(definition))
}

/** Steps of a definition in words; one that it does not have keeps its id. */
export function namesIn(definition: Definition, referenceName: NameOf): StepNames {
  const { nodes } = flowOf(definition)
  return {
    step: (id) => (id === END ? 'The end' : stepName(definition, id, referenceName)),
    way: (id, way) => {
      const node = nodes.get(id)
      return node === undefined || way === 'to' ? undefined : wayText(node, way, referenceName)
    },
    node: (id) => nodes.get(id),
    nameOf: referenceName,
  }
}
