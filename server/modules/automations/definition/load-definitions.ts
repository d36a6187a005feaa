import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Definition } from './definition.ts'
import { storedDefinition } from './read-definition.ts'

/** Definitions that this process has read, by workspace, automation and version: they never change. */
const kept = new Map<string, Definition>()
const KEPT_MAX = 500

/** The published versions of an automation, by number. */
export async function loadDefinitions(
  tx: Transaction,
  { workspaceId, automationId }: { workspaceId: string; automationId: string },
  versions: readonly number[],
): Promise<Map<number, Definition>> {
  const keyOf = (version: number) => `${workspaceId}/${automationId}/${version}`
  const missing = [...new Set(versions)].filter((version) => !kept.has(keyOf(version)))
  if (missing.length > 0) {
    const { rows } = await tx.query<{ version: number; definition: string }>({
      name: 'definitions_of_runs',
      text: `select version, definition from automation_versions
        where workspace_id = $1 and automation_id = $2 and version = any ($3::int4[])`,
      values: [workspaceId, automationId, missing],
    })
    for (const { version, definition } of rows) kept.set(keyOf(version), storedDefinition(definition))
  }
  const found = new Map<number, Definition>()
  for (const version of new Set(versions)) {
    const definition = kept.get(keyOf(version))
    if (!definition) continue
    found.set(version, definition)
    // The last place is that of the last used.
    kept.delete(keyOf(version))
    kept.set(keyOf(version), definition)
  }
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) break
    kept.delete(oldest)
  }
  return found
}
