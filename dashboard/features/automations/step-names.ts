import { useSite } from '../../lib/use-site.ts'
import { stepName } from './builder/step-name.ts'
import { END, flowOf } from './flow.ts'
import type { FlowNode } from './flow-node.ts'
import { wayText } from './node-words.ts'
import { useReferenceNames } from './reference-names.ts'
import type { NameOf } from './rule-words.ts'

export type StepNames = {
  /** `Mail: You left something behind`; a step that this version does not have keeps its id. */
  step: (node: string) => string
  /** The way by which a step was left, where it says more than that it goes on. */
  way: (node: string, way: string) => string | undefined
  node: (id: string) => FlowNode | undefined
  nameOf: NameOf
}

/** A version of an automation; none of one that was never published. */
export function usePublished(automationId: string, version: number | string | null) {
  const params = { id: automationId, version: String(version) }
  return useSite('GET /automations/{id}/versions/{version}', { params }, { enabled: version !== null })
}

/** Steps of a version of an automation in words, for places where a program would name them by id. */
export function useStepNames(automationId: string, version: number | null): StepNames {
  const published = usePublished(automationId, version)
  const definition = published.data?.definition ?? {}
  const referenceName = useReferenceNames(definition)
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
