import { unprocessable } from '../../../catalogue/problems.ts'
import { canonicalJson } from '../definition/canonical-json.ts'
import { readScenarios } from './read-scenarios.ts'

export const NAMED_FAULTS_MAX = 50

/** The canonical text of scenarios. Throws 422 with a pointer to each of their faults. */
export function soundScenarios(given: unknown): string {
  const { faults } = readScenarios(given)
  if (faults.length > 0) throw unprocessable(faults.slice(0, NAMED_FAULTS_MAX))
  return canonicalJson(given)
}
