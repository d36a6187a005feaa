import type { Statement } from '../../platform/db/statement.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { FieldType } from './fit-value.ts'
import { FIELDS_MAX } from './queries.ts'

export type FieldRow = { id: string; key: string; name: string; type: FieldType; createdAt: string; updatedAt: string }
export type SiteFieldRow = FieldRow & { declared: boolean; previousKey: string | null; formerKeys: string[] }
/** A row of a page beside the exact total; past the end of a list there is one row, with the total alone. */
export type ListedField = { total: string } & ({ [field in keyof SiteFieldRow]: null } | SiteFieldRow)

const COLUMNS = 'id, key, name, type, created_at as "createdAt", updated_at as "updatedAt"'

/** A page of the fields ascending by id; there are FIELDS_MAX at most, so they are counted. */
export function fieldsPageStatement(
  workspaceId: string,
  { key, ...page }: PageQuery & { key?: string | undefined },
): Statement<ListedField> {
  return {
    name: 'custom_fields_page',
    text: `with found as materialized (
        select ${COLUMNS}, declared, previous_key as "previousKey", array(
            select k.key from custom_field_former_keys k where k.workspace_id = $1 and k.field_id = f.id
            order by k.given_up_at desc) as "formerKeys"
        from custom_fields f where workspace_id = $1 and deleted_at is null and ($4::text is null or key = $4))
      select (select count(*) from found) as total, f.* from (select) once
      left join (select * from found order by id limit $2 offset $3) f on true order by f.id`,
    values: [workspaceId, page.pageSize, rowsBefore(page), key ?? null],
  }
}

export function fieldByIdStatement(workspaceId: string, id: string): Statement<FieldRow> {
  return {
    name: 'custom_field_by_id',
    text: `select ${COLUMNS} from custom_fields where workspace_id = $1 and id = $2 and deleted_at is null`,
    values: [workspaceId, id],
  }
}

/** The row, locked until the transaction ends, so that two changes of one field follow each other. */
export async function fieldForChange(tx: Transaction, workspaceId: string, id: string): Promise<FieldRow | undefined> {
  const { rows } = await tx.query<FieldRow>({
    name: 'custom_field_for_change',
    text: `select ${COLUMNS} from custom_fields
      where workspace_id = $1 and id = $2 and deleted_at is null for no key update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** Whether a field has the key, or had it before a rename that still runs, or had it and is still being deleted. */
export async function keyIsTaken(tx: Transaction, workspaceId: string, key: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'custom_field_key_is_taken',
    text: 'select from custom_fields where workspace_id = $1 and (key = $2 or previous_key = $2)',
    values: [workspaceId, key],
  })
  return rows.length > 0
}

/** Undefined when the workspace has FIELDS_MAX already. A key that another field gave up means this one from now on. */
export async function insertField(
  tx: Transaction,
  workspaceId: string,
  field: { key: string; name: string; type: FieldType },
): Promise<FieldRow | undefined> {
  const { rows } = await tx.query<FieldRow>({
    name: 'insert_custom_field',
    text: `with taken as (delete from custom_field_former_keys where workspace_id = $1 and key = $2)
      insert into custom_fields (workspace_id, key, name, type, declared)
      select $1, $2, $3, $4, true where (select count(*) from custom_fields where workspace_id = $1) < ${FIELDS_MAX}
      returning ${COLUMNS}`,
    values: [workspaceId, field.key, field.name, field.type],
  })
  return rows[0]
}

type FieldKey = { workspaceId: string; id: string }

/** A changed key leaves the one before it in `previous_key`, and among the field's former keys; whichever field had the new one gives it up. */
export async function updateFieldRow(
  tx: Transaction,
  { workspaceId, id }: FieldKey,
  change: { key: string; name: string },
): Promise<FieldRow> {
  const { rows } = await tx.query<FieldRow>({
    name: 'update_custom_field',
    text: `with given_up as (
        insert into custom_field_former_keys (workspace_id, key, field_id)
        select $1, key, id from custom_fields where workspace_id = $1 and id = $2 and key <> $3
        on conflict (workspace_id, key) do update set field_id = excluded.field_id, given_up_at = now()
      ), taken as (delete from custom_field_former_keys where workspace_id = $1 and key = $3)
      update custom_fields set key = $3, name = $4, updated_at = now(),
        previous_key = case when key = $3 then previous_key else key end
      where workspace_id = $1 and id = $2 returning ${COLUMNS}`,
    values: [workspaceId, id, change.key, change.name],
  })
  return rows[0]!
}

export async function declareType(tx: Transaction, { workspaceId, id }: FieldKey, type: FieldType): Promise<void> {
  await tx.query({
    name: 'declare_custom_field',
    text: `update custom_fields set type = $3, declared = true, updated_at = now() where workspace_id = $1 and id = $2`,
    values: [workspaceId, id, type],
  })
}

export async function hideField(tx: Transaction, { workspaceId, id }: FieldKey): Promise<void> {
  await tx.query({
    name: 'hide_custom_field',
    text: 'update custom_fields set deleted_at = now() where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/** A rename is over: nothing has the key before it any more. */
export async function forgetPreviousKey(tx: Transaction, { workspaceId, id }: FieldKey): Promise<void> {
  await tx.query({
    name: 'forget_previous_key',
    text: 'update custom_fields set previous_key = null where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

export async function deleteFieldRow(tx: Transaction, { workspaceId, id }: FieldKey): Promise<void> {
  await tx.query({
    name: 'delete_custom_field',
    text: 'delete from custom_fields where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}
