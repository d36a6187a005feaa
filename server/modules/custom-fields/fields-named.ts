import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { holdFields } from './hold-fields.ts'
import { type FieldRule, rulesOf } from './queries.ts'

/** The fields that these keys mean, declared and inferred, by key; a key that a field had before a rename still means it. */
export async function fieldsNamed(
  tx: Transaction,
  workspaceId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, FieldRule>> {
  return keys.length === 0 ? new Map() : await rulesOf(tx, workspaceId, keys)
}

/**
 * The values whose keys mean a field that there is, for whoever may not make one up. No field changes until the transaction ends.
 */
export async function ofKnownFields<T>(
  tx: Transaction,
  workspaceId: string,
  values: Readonly<Record<string, T>>,
): Promise<Record<string, T>> {
  const keys = Object.keys(values)
  if (keys.length === 0) return {}
  const [, rules] = await Promise.all([holdFields(tx, workspaceId), rulesOf(tx, workspaceId, keys)])
  const isKnown = (key: string) => rules.get(key)?.deleting === false
  return Object.fromEntries(Object.entries(values).filter(([key]) => isKnown(key)))
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
