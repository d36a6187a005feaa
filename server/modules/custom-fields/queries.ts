import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FieldType } from './fit-value.ts'

/** Fields of a workspace, declared and inferred. */
export const FIELDS_MAX = 500

export type FieldRule = {
  key: string
  previousKey: string | null
  type: FieldType
  declared: boolean
  deleting: boolean
}

const RULE = `key, previous_key as "previousKey", type, declared, deleted_at is not null as deleting`

/** The fields that are, or until their rename ends were, called so. */
export async function rulesOf(tx: Transaction, workspaceId: string, keys: readonly string[]): Promise<FieldRule[]> {
  const { rows } = await tx.query<FieldRule>({
    name: 'custom_field_rules',
    text: `select ${RULE} from custom_fields
      where workspace_id = $1 and (key = any ($2::text[]) or previous_key = any ($2::text[]))`,
    values: [workspaceId, textArray(keys)],
  })
  return rows
}

export type InferredField = FieldRule & { id: string; added: boolean }

/**
 * Adds inferred fields, in the order of keys so that two who add the same ones never wait for each other in a circle; the turn to do so
 * is taken. Answers every field that is there now, with what is new of them; those beyond FIELDS_MAX are not there.
 */
export async function inferFields(
  tx: Transaction,
  workspaceId: string,
  fields: readonly { key: string; type: FieldType }[],
): Promise<InferredField[]> {
  const { rows } = await tx.query<InferredField>({
    name: 'infer_custom_fields',
    text: `insert into custom_fields (workspace_id, key, name, type, declared)
      select $1, key, key, type, false from unnest($2::text[], $3::text[]) with ordinality as given (key, type, n)
      where n <= ${FIELDS_MAX} - (select count(*) from custom_fields where workspace_id = $1)
      order by key
      on conflict on constraint custom_fields_key_taken do update set key = excluded.key
      returning ${RULE}, id, xmax = 0 as added`,
    values: [workspaceId, textArray(fields.map(({ key }) => key)), textArray(fields.map(({ type }) => type))],
  })
  return rows
}
