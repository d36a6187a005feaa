import { useSite } from '../../lib/use-site.ts'
import { stepName } from './builder/step-name.ts'
import { useReferenceNames } from './reference-names.ts'

/** A version of an automation; none of one that was never published. */
export function usePublished(automationId: string, version: number | string | null) {
  const params = { id: automationId, version: String(version) }
  return useSite('GET /automations/{id}/versions/{version}', { params }, { enabled: version !== null })
}

type Props = { automationId: string; version: number; node: string }

/** A step in the words of a version other than the one that a page shows: that one has it no more, or has it otherwise. */
export function StepOfVersion({ automationId, version, node }: Props) {
  const published = usePublished(automationId, version)
  const definition = published.data?.definition
  const referenceName = useReferenceNames(definition ?? {})
  if (definition === undefined) return <span className="soft">A step of version {version}</span>
  return <>{stepName(definition, node, referenceName)}</>
}
