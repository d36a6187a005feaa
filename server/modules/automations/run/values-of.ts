import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'

type Asked = { of: 'contacts' | 'events'; ids: readonly (string | null)[]; keys: readonly string[] }
export type Values = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** Custom fields of contacts, or properties of events, by their ids. */
export async function valuesOf(tx: Transaction, workspaceId: string, { of, ids, keys }: Asked): Promise<Values> {
  if (keys.length === 0) return new Map()
  const column = of === 'contacts' ? 'custom_fields' : 'data'
  const { rows } = await tx.query<{ id: string; held: string }>({
    name: `values_of_${of}`,
    text: `select id, (select coalesce(jsonb_object_agg(k, ${column} -> k), '{}') from unnest($3::text[]) k)::text as held from ${of}
      where workspace_id = $1 and id = any ($2::int8[])`,
    values: [workspaceId, int8Array(ids.filter((id) => id !== null)), textArray(keys)],
  })
  return new Map(rows.map(({ id, held }) => [id, parseExactJson(held) as Record<string, unknown>]))
}
