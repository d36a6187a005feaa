import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FieldType } from './fit-value.ts'
import { UNFIT_SAMPLES_MAX } from './schemas.ts'

export type RewriteKind = 'rename' | 'retype' | 'delete'
export type FieldRef = { workspaceId: string; fieldId: string }
export type NewRewrite = { kind: RewriteKind; type?: FieldType; dryRun?: boolean }

/** The next work of a running rewrite, with the field as it is now. */
export type Rewrite = FieldRef & {
  kind: RewriteKind
  type: FieldType | null
  dryRun: boolean
  after: string
  key: string
  previousKey: string | null
}

/** Begins a rewrite, in place of the last of its kind. Fails on `custom_field_rewrites_running`. */
export async function insertRewrite(tx: Transaction, { workspaceId, fieldId }: FieldRef, rewrite: NewRewrite) {
  await tx.query({
    name: 'insert_rewrite',
    text: `insert into custom_field_rewrites (workspace_id, field_id, kind, type, dry_run) values ($1, $2, $3, $4, $5)
      on conflict (workspace_id, field_id, kind) do update set type = excluded.type, dry_run = excluded.dry_run,
        after_contact_id = 0, examined = 0, fitting = 0, unfit = 0, unfit_contact_ids = '{}', started_at = now(),
        finished_at = null`,
    values: [workspaceId, fieldId, rewrite.kind, rewrite.type ?? null, rewrite.dryRun ?? false],
  })
}

export async function runningKind(
  tx: Transaction,
  { workspaceId, fieldId }: FieldRef,
): Promise<RewriteKind | undefined> {
  const { rows } = await tx.query<{ kind: RewriteKind }>({
    name: 'running_rewrite_kind',
    text: 'select kind from custom_field_rewrites where workspace_id = $1 and field_id = $2 and finished_at is null',
    values: [workspaceId, fieldId],
  })
  return rows[0]?.kind
}

/** The running rewrite of a field, locked until the transaction ends: two runs of its job take turns. */
export async function runningRewrite(
  tx: Transaction,
  { workspaceId, fieldId }: FieldRef,
): Promise<Rewrite | undefined> {
  const { rows } = await tx.query<Omit<Rewrite, keyof FieldRef>>({
    name: 'running_rewrite',
    text: `select r.kind, r.type, r.dry_run as "dryRun", r.after_contact_id as after, f.key,
        f.previous_key as "previousKey"
      from custom_field_rewrites r join custom_fields f on f.workspace_id = $1 and f.id = r.field_id
      where r.workspace_id = $1 and r.field_id = $2 and r.finished_at is null for update of r`,
    values: [workspaceId, fieldId],
  })
  return rows[0] && { workspaceId, fieldId, ...rows[0] }
}

export type Findings = { examined: number; fitting: number; unfitIds: readonly string[] }

/** Notes how far a rewrite came: to a contact, or, with null, to the end. */
export async function advanceRewrite(
  tx: Transaction,
  { workspaceId, fieldId, kind }: Rewrite,
  { last, examined, fitting, unfitIds }: Findings & { last: string | null },
): Promise<void> {
  await tx.query({
    name: 'advance_rewrite',
    text: `update custom_field_rewrites set after_contact_id = coalesce($4, after_contact_id), examined = examined + $5,
        fitting = fitting + $6, unfit = unfit + cardinality($7::int8[]),
        unfit_contact_ids = (unfit_contact_ids || $7::int8[])[:${UNFIT_SAMPLES_MAX}],
        finished_at = case when $4::bigint is null then now() end
      where workspace_id = $1 and field_id = $2 and kind = $3`,
    values: [workspaceId, fieldId, kind, last, examined, fitting, int8Array(unfitIds)],
  })
}

/** Ends whatever runs, because something that undoes it begins. */
export async function endRewrites(tx: Transaction, { workspaceId, fieldId }: FieldRef): Promise<void> {
  await tx.query({
    name: 'end_rewrites',
    text: `update custom_field_rewrites set finished_at = now()
      where workspace_id = $1 and field_id = $2 and finished_at is null`,
    values: [workspaceId, fieldId],
  })
}

/** Contacts after `after` up to `last`, the next that a rewrite looks at. */
export type Stretch = { workspaceId: string; after: string; last: string }

/** Where the next stretch ends, and how many contacts are in it; undefined when there is none. */
export async function nextStretch(
  tx: Transaction,
  { workspaceId, after }: Omit<Stretch, 'last'>,
  limit: number,
): Promise<{ last: string; contacts: number } | undefined> {
  const { rows } = await tx.query<{ last: string | null; contacts: number }>({
    name: 'next_stretch',
    text: `select max(id) as last, count(*)::int as contacts from (
        select id from contacts where workspace_id = $1 and id > $2 order by id limit $3) stretch`,
    values: [workspaceId, after, limit],
  })
  const [row] = rows
  return row && row.last !== null ? { last: row.last, contacts: row.contacts } : undefined
}

const IN_STRETCH = 'workspace_id = $1 and id > $2 and id <= $3'

/** Moves values from one key to another. A contact that has one under the new key already got it later, and keeps that. */
export async function moveValues(
  tx: Transaction,
  { workspaceId, after, last }: Stretch,
  keys: [from: string, to: string],
) {
  await tx.query({
    name: 'move_custom_values',
    text: `update contacts set custom_fields = (custom_fields - $4::text)
        || case when custom_fields ? $5 then '{}' else jsonb_build_object($5::text, custom_fields -> $4) end
      where ${IN_STRETCH} and custom_fields ? $4`,
    values: [workspaceId, after, last, ...keys],
  })
}

export async function dropValues(tx: Transaction, { workspaceId, after, last }: Stretch, keys: readonly string[]) {
  await tx.query({
    name: 'drop_custom_values',
    text: `update contacts set custom_fields = custom_fields - $4::text[]
      where ${IN_STRETCH} and custom_fields ?| $4::text[]`,
    values: [workspaceId, after, last, textArray(keys)],
  })
}

export type StoredValue = { contactId: string; value: string }

/** The values under a key, as JSON; locked until the transaction ends when they are to be changed. */
export async function valuesIn(
  tx: Transaction,
  { workspaceId, after, last }: Stretch,
  { key, lock }: { key: string; lock: boolean },
): Promise<StoredValue[]> {
  const { rows } = await tx.query<StoredValue>({
    name: lock ? 'custom_values_for_change' : 'custom_values',
    text: `select id as "contactId", (custom_fields -> $4)::text as value from contacts
      where ${IN_STRETCH} and custom_fields ? $4 order by id ${lock ? 'for no key update' : ''}`,
    values: [workspaceId, after, last, key],
  })
  return rows
}

export async function replaceValues(
  tx: Transaction,
  { workspaceId, key }: { workspaceId: string; key: string },
  values: readonly StoredValue[],
): Promise<void> {
  await tx.query({
    name: 'replace_custom_values',
    text: `update contacts c set custom_fields = jsonb_set(c.custom_fields, array[$2::text], given.value::jsonb)
      from unnest($3::int8[], $4::text[]) as given (contact_id, value)
      where c.workspace_id = $1 and c.id = given.contact_id`,
    values: [
      workspaceId,
      key,
      int8Array(values.map(({ contactId }) => contactId)),
      textArray(values.map(({ value }) => value)),
    ],
  })
}

export type RetypeRow = {
  type: FieldType
  dryRun: boolean
  examined: string
  fitting: string
  unfit: string
  /** JSON of `{contactId, value}`: values as the contacts have them now. */
  samples: string
  startedAt: string
  finishedAt: string | null
}

/** The last retype of a field. No row when there was none, or the field is not there. */
export function lastRetypeStatement(workspaceId: string, fieldId: string): Statement<RetypeRow> {
  return {
    name: 'last_retype',
    text: `select r.type, r.dry_run as "dryRun", r.examined, r.fitting, r.unfit,
        r.started_at as "startedAt", r.finished_at as "finishedAt",
        (select coalesce(json_agg(json_build_object('contactId', c.id::text, 'value', c.custom_fields -> f.key)
            order by c.id), '[]')::text
          from contacts c where c.workspace_id = $1 and c.id = any (r.unfit_contact_ids)
            and c.custom_fields ? f.key) as samples
      from custom_field_rewrites r join custom_fields f on f.workspace_id = $1 and f.id = r.field_id
      where r.workspace_id = $1 and r.field_id = $2 and r.kind = 'retype' and f.deleted_at is null`,
    values: [workspaceId, fieldId],
  }
}
