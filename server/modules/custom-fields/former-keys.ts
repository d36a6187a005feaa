import type { Transaction } from '../../platform/db/transaction.ts'

/** Former keys of a workspace: each mail asks its person for all of them. The eldest go first. */
export const FORMER_KEYS_MAX = 500

/** The keys that fields have, by keys that they had before renames. */
export type FormerKeys = ReadonlyMap<string, string>

/** The former keys of a workspace's fields, the eldest first; a key that another field has by now is that one's. */
export async function formerKeys(tx: Transaction, workspaceId: string): Promise<FormerKeys> {
  const { rows } = await tx.query<{ former: string; key: string }>({
    name: 'custom_field_former_keys',
    text: `select k.key as former, f.key from custom_field_former_keys k
      join custom_fields f on f.workspace_id = $1 and f.id = k.field_id and f.deleted_at is null
      where k.workspace_id = $1 and not exists (select from custom_fields o where o.workspace_id = $1 and o.key = k.key)
      order by k.given_up_at`,
    values: [workspaceId],
  })
  return new Map(rows.map(({ former, key }) => [former, key]))
}

/** The keys that a field had before renames, and that mean it still. */
export async function formerKeysOf(tx: Transaction, workspaceId: string, fieldId: string): Promise<string[]> {
  const { rows } = await tx.query<{ key: string }>({
    name: 'former_keys_of_custom_field',
    text: 'select key from custom_field_former_keys where workspace_id = $1 and field_id = $2 order by key',
    values: [workspaceId, fieldId],
  })
  return rows.map(({ key }) => key)
}

/** Leaves the FORMER_KEYS_MAX that were given up last. */
export async function dropOldFormerKeys(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'drop_old_former_keys',
    text: `delete from custom_field_former_keys where workspace_id = $1 and key in (
        select key from custom_field_former_keys where workspace_id = $1 order by given_up_at desc, key offset ${FORMER_KEYS_MAX})`,
    values: [workspaceId],
  })
}

/** Values under their fields' former keys too, and under the one that a field has, where a rename has not come to them yet. */
export function underEveryKey(
  values: Readonly<Record<string, unknown>>,
  former: FormerKeys,
): Readonly<Record<string, unknown>> {
  if (former.size === 0) return values
  const named = new Map(Object.entries(values))
  for (const [from, key] of former) if (!named.has(key) && named.has(from)) named.set(key, named.get(from))
  for (const [from, key] of former) if (named.has(key)) named.set(from, named.get(key))
  return Object.fromEntries(named)
}
