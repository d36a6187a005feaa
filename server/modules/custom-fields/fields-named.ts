import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { type FieldRule, rulesOf } from './queries.ts'

/** The fields of these keys that there are, declared and inferred. */
export function fieldsNamed(tx: Transaction, workspaceId: string, keys: readonly string[]): Promise<FieldRule[]> {
  return rulesOf(tx, workspaceId, keys)
}

/** The names that people gave the fields of these keys, by the key. */
export async function fieldNames(
  tx: Transaction,
  workspaceId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const { rows } = await tx.query<{ key: string; name: string }>({
    name: 'custom_field_names',
    text: `select key, name from custom_fields where workspace_id = $1 and key = any ($2::text[]) and deleted_at is null`,
    values: [workspaceId, textArray(keys)],
  })
  return new Map(rows.map(({ key, name }) => [key, name]))
}
