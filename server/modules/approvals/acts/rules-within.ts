import type pg from 'pg'
import { readSegment } from '../../segments/read-segments.ts'
import { usedSegments } from '../../segments/segment-facts.ts'
import type { Plan } from '../schemas.ts'

/** The rules of segments by their ids, and of those that they refer to, each once: the people rest on all of them. */
export async function rulesWithin(sql: pg.Pool, workspaceId: string, ids: readonly string[]) {
  const found = new Map<string, Plan['segments'][number]>()
  for (let level: readonly string[] = [...new Set(ids)]; level.length > 0; ) {
    const rules = await Promise.all(level.map(async (id) => pickRule(await readSegment(sql, workspaceId, id))))
    for (const rule of rules) found.set(rule.id, rule)
    level = [...new Set(rules.flatMap(({ definition }) => [...usedSegments(definition)]))].filter(
      (id) => !found.has(id),
    )
  }
  return found
}

function pickRule({ id, name, definition }: Plan['segments'][number]) {
  return { id, name, definition }
}
