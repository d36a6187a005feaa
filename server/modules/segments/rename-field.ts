import { unprocessable } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { Caller } from '../auth/caller.ts'
import { recordSegment } from './manage-segments.ts'
import { DEFINITION_CHARS_MAX } from './parse-definition.ts'
import { lockSegments, segmentsWith, updateDefinitions } from './queries.ts'

export type KeyChange = { from: string; to: string }

/**
 * Lets the definitions of a workspace follow a custom field to its new key, in the transaction that renames it. Throws a
 * 422 when one of them would become too long.
 */
export async function renameFieldInSegments(tx: Transaction, caller: Caller, change: KeyChange): Promise<void> {
  const { workspaceId } = caller
  await lockSegments(tx, workspaceId)
  const before = await segmentsWith(tx, workspaceId, 'custom:')
  const changed = before
    .map(({ id, name, definition }) => ({ id, name, definition: renameField(definition, change) }))
    .filter(({ definition }, n) => definition !== before[n]!.definition)
  if (changed.length === 0) return
  const tooLong = changed.find(({ definition }) => definition.length > DEFINITION_CHARS_MAX)
  if (tooLong) {
    const detail = `is so long that the definition of the segment “${tooLong.name}” (${tooLong.id}) would have no room for it`
    throw unprocessable([{ pointer: '/key', detail }])
  }
  const after = await updateDefinitions(tx, workspaceId, changed)
  const former = new Map(before.map((segment) => [segment.id, segment]))
  await Promise.all(
    after.map((segment) =>
      recordSegment(tx, caller, { verb: 'update', before: former.get(segment.id)!, after: segment }),
    ),
  )
}

/** The definition with the rules about a custom field under its new key; the same text when it has none. */
export function renameField(definition: string, { from, to }: KeyChange): string {
  let found = false
  const rename = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node
    if ('rules' in node && Array.isArray(node.rules)) return { ...node, rules: node.rules.map(rename) }
    if (!('field' in node) || node.field !== `custom:${from}`) return node
    found = true
    return { ...node, field: `custom:${to}` }
  }
  const renamed = definition.trim() === '' ? undefined : rename(parseExactJson(definition))
  return found ? JSON.stringify(renamed) : definition
}
