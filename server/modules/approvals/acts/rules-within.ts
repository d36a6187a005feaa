import { notFound } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { usedSegments } from '../../segments/segment-facts.ts'
import { segmentsWithIds } from '../../segments/segments-with-ids.ts'
import type { Plan } from '../schemas.ts'

type Rules = Map<string, Plan['segments'][number]>

/**
 * The rules of segments by their ids, and of those that they refer to, each once: the people rest on all of them. `held`: they stay so until
 * the transaction ends. Throws 404 for one that is gone.
 */
export async function rulesWithin(
  tx: Transaction,
  workspaceId: string,
  { ids, held = false }: { ids: readonly string[]; held?: boolean },
): Promise<Rules> {
  const found: Rules = new Map()
  for (let level: readonly string[] = [...new Set(ids)]; level.length > 0; ) {
    const there = new Map((await segmentsWithIds(tx, workspaceId, { ids: level, held })).map((rule) => [rule.id, rule]))
    for (const id of level) {
      const rule = there.get(id)
      if (rule === undefined) throw notFound()
      found.set(id, rule)
    }
    const named = level.flatMap((id) => [...usedSegments(found.get(id)!.definition)])
    level = [...new Set(named)].filter((id) => !found.has(id))
  }
  return found
}
