import { useQueries } from '@tanstack/react-query'
import type { AutomationRunTrace } from '../../lib/site-types.ts'
import { areKnown } from '../../lib/use-known.ts'
import { siteQuery } from '../../lib/use-site.ts'
import { useReferenceNames } from './reference-names.ts'
import { namesIn, type StepNames } from './step-names.ts'

export type NamesOfVersions = {
  /** Steps in the words of a version: what decided there was that one's, whatever is in force since. */
  of: (version: number) => StepNames
  /** Whether all of the versions have come, or failed. */
  areKnown: boolean
}

/** Steps in the words of each of some versions of an automation. */
export function useNamesOfVersions(automationId: string, versions: readonly number[]): NamesOfVersions {
  const reads = useQueries({
    queries: versions.map((version) =>
      siteQuery('GET /automations/{id}/versions/{version}', {
        params: { id: automationId, version: String(version) },
      }),
    ),
  })
  const definitions = reads.map(({ data }) => data?.definition ?? {})
  const referenceName = useReferenceNames(definitions)
  const names = new Map(versions.map((version, at) => [version, namesIn(definitions[at] ?? {}, referenceName)]))
  return { of: (version) => names.get(version) ?? namesIn({}, referenceName), areKnown: areKnown(...reads) }
}

/** Versions that somebody went by: a publishing may have taken them along in between. */
export const versionsOf = (runs: readonly Pick<AutomationRunTrace, 'version' | 'steps'>[]): number[] => [
  ...new Set(runs.flatMap(({ version, steps }) => [version, ...steps.map((step) => step.version)])),
]
