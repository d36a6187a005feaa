import type { Transaction } from '../../../platform/db/transaction.ts'
import { parseDefinition } from '../../segments/parse-definition.ts'
import { referencesOf } from '../../segments/references.ts'
import { loadFacts } from '../../segments/segment-facts.ts'
import { rulesOf } from '../definition/check-references.ts'
import type { Definition } from '../definition/definition.ts'
import { inventedId, type ScenarioFacts } from './scenario-person.ts'

/** Everything that the rules of a definition mean in its workspace; a tag that nobody has yet is one all the same. */
export async function scenarioFacts(
  tx: Transaction,
  workspaceId: string,
  definition: Definition,
): Promise<ScenarioFacts> {
  const texts = rulesOf(definition).map(({ text }) => text)
  const { fields, tagIds, segments } = await loadFacts(tx, workspaceId, texts)
  const all = [...texts, ...[...segments.values()].map((segment) => segment.definition)]
  const { tags } = referencesOf(all.map((text) => parseDefinition(text).group))
  const missing = [...tags].filter((tag) => !tagIds.has(tag))
  return { fields, segments, tagIds: new Map([...tagIds, ...missing.map((tag) => [tag, inventedId(tag)] as const)]) }
}
