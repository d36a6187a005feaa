import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FieldType } from './fit-value.ts'

/** Fields of a workspace, declared and inferred. */
export const FIELDS_MAX = 500

export type FieldRule = {
  key: string
  /** While a rename runs: the key that values may still be under. */
  previousKey: string | null
  type: FieldType
  declared: boolean
  deleting: boolean
}

const RULE = `f.key, f.previous_key as "previousKey", f.type, f.declared, f.deleted_at is not null as deleting`

/** The fields that these keys mean, by key: of each the field that has it, or else the one that had it before a rename. */
export async function rulesOf(
  tx: Transaction,
  workspaceId: string,
  keys: readonly string[],
): Promise<Map<string, FieldRule>> {
  const { rows } = await tx.query<FieldRule & { given: string }>({
    name: 'custom_field_rules',
    text: `select given.key as given, ${RULE} from unnest($2::text[]) as given (key)
      join custom_fields f on f.workspace_id = $1 and f.id = coalesce(
        (select o.id from custom_fields o where o.workspace_id = $1 and o.key = given.key),
        (select o.id from custom_fields o where o.workspace_id = $1 and o.previous_key = given.key),
        (select k.field_id from custom_field_former_keys k where k.workspace_id = $1 and k.key = given.key))`,
    values: [workspaceId, textArray(keys)],
  })
  return new Map(rows.map(({ given, ...rule }) => [given, rule]))
}

export type InferredField = FieldRule & { id: string; added: boolean }

/**
 * Adds inferred fields, in the order of keys so that two who add the same ones never wait for each other in a circle; the turn to do so
 * is taken. Answers every field that is there now, with what is new of them; those beyond FIELDS_MAX are not there.
 */
export async function inferFields(
  tx: Transaction,
  workspaceId: string,
  fields: readonly { key: string; type: FieldType; name?: string }[],
): Promise<InferredField[]> {
  const { rows } = await tx.query<InferredField>({
    name: 'infer_custom_fields',
    text: `insert into custom_fields as f (workspace_id, key, name, type, declared)
      select $1, key, name, type, false from unnest($2::text[], $3::text[], $4::text[]) with ordinality as given (key, type, name, n)
      where n <= ${FIELDS_MAX} - (select count(*) from custom_fields where workspace_id = $1)
      order by key
      on conflict on constraint custom_fields_key_taken do update set key = excluded.key
      returning ${RULE}, f.id, f.xmax = 0 as added`,
    values: [
      workspaceId,
      textArray(fields.map(({ key }) => key)),
      textArray(fields.map(({ type }) => type)),
      textArray(fields.map(({ key, name = key }) => name)),
    ],
  })
  return rows
}
