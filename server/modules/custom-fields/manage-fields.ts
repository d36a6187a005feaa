import type pg from 'pg'
import { conflict, inUse, invalid, notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import type { FieldError, Use } from '../../platform/problem.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { fieldKeyFault } from './field-key.ts'
import {
  declareType,
  type FieldRow,
  fieldForChange,
  hideField,
  insertField,
  keyIsTaken,
  updateFieldRow,
} from './field-queries.ts'
import type { FieldType } from './fit-value.ts'
import { dropOldFormerKeys, formerKeysOf } from './former-keys.ts'
import { holdFieldsAlone } from './hold-fields.ts'
import { FIELDS_MAX } from './queries.ts'
import { shownRetype } from './read-fields.ts'
import {
  endRewrites,
  type FieldRef,
  insertRewrite,
  lastRetypeStatement,
  type NewRewrite,
  runningKind,
} from './rewrite-queries.ts'
import type { FieldBody, FieldChange } from './schemas.ts'

export type FieldDeps = {
  sql: pg.Pool
  /** Puts a `rewrite_custom_field` job into the queue, in the caller's transaction. */
  enqueueRewrite: (tx: Transaction, field: FieldRef) => Promise<void>
  /** Texts of others that name a field's key follow it, in the transaction that renames it. */
  onKeyChange: (tx: Transaction, caller: Caller, change: { from: string; to: string }) => Promise<void>
  /** Everything that would go wrong without the field of a key: it is not deleted while there is any. */
  usedBy: (tx: Transaction, workspaceId: string, key: string) => Promise<Use[]>
}

/** Declares a field. Throws 400 for a key or name that is none, 409 for a key in use, 422 when the workspace has too many. */
export async function declareField(deps: FieldDeps, caller: Caller, body: FieldBody): Promise<FieldRow> {
  const { key, name } = readField({ key: body.key, name: body.name ?? body.key })
  return inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    await holdFieldsAlone(tx, caller.workspaceId)
    if (await keyIsTaken(tx, caller.workspaceId, key)) throw conflict('key')
    const row = await insertField(tx, caller.workspaceId, { key, name, type: body.type })
    if (!row) throw unprocessable([{ pointer: '', detail: `a workspace can have ${FIELDS_MAX} custom fields` }])
    await auditField(tx, caller, { action: 'custom_field.create', before: undefined, after: row })
    return row
  })
}

export type FieldTarget = { id: string; ifMatch?: string | undefined }

/**
 * Changes a field. A new name counts at once. So does a new key: the one before it is still taken while the values move in
 * the background. Throws 404, 412, 422 while another rewrite of the field runs, and what declaring throws.
 */
export async function changeField(
  deps: FieldDeps,
  caller: Caller,
  { id, ifMatch, change }: FieldTarget & { change: FieldChange },
): Promise<FieldRow> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await heldField(tx, workspaceId, { id, ifMatch })
    const after = readField({ key: change.key ?? before.key, name: change.name ?? before.name })
    if (after.key === before.key && after.name === before.name) return before
    if (after.key !== before.key) {
      await refuseWhileRunning(tx, { workspaceId, fieldId: id }, '/key')
      if (await keyIsTaken(tx, workspaceId, after.key)) throw conflict('key')
      await beginRewrite(deps, tx, { workspaceId, fieldId: id, kind: 'rename' })
      await deps.onKeyChange(tx, caller, { from: before.key, to: after.key })
    }
    const updated = await updateFieldRow(tx, { workspaceId, id }, after)
    if (after.key !== before.key) await dropOldFormerKeys(tx, workspaceId)
    await auditField(tx, caller, { action: 'custom_field.update', before, after: updated })
    return updated
  })
}

/**
 * Gives a field a type and declares it: from now on values are held to it; those that there are follow in the background.
 * A dry run changes nothing, and finds out what does not fit. Answers it as it begins. Throws 404, 412, and 422 while another rewrite runs.
 */
export async function retypeField(
  deps: FieldDeps,
  caller: Caller,
  { id, ifMatch, type, dryRun }: FieldTarget & { type: FieldType; dryRun: boolean },
): Promise<ReturnType<typeof shownRetype>> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await heldField(tx, workspaceId, { id, ifMatch })
    await refuseWhileRunning(tx, { workspaceId, fieldId: id }, '/type')
    await beginRewrite(deps, tx, { workspaceId, fieldId: id, kind: 'retype', type, dryRun })
    if (!dryRun) {
      await declareType(tx, { workspaceId, id }, type)
      await auditField(tx, caller, { action: 'custom_field.retype', before, after: { ...before, type } })
    }
    const { rows } = await tx.query(lastRetypeStatement(workspaceId, id))
    return shownRetype(rows[0])
  })
}

/**
 * Deletes a field: nobody sees it from now on, and its values go in the background, in place of whatever else runs. Until
 * they are gone its key is refused. Throws 404, 412, and 409 naming what uses it.
 */
export async function deleteField(deps: FieldDeps, caller: Caller, { id, ifMatch }: FieldTarget): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await heldField(tx, workspaceId, { id, ifMatch })
    const usedBy = await usersOf(deps, tx, { workspaceId, field: before })
    if (usedBy.length > 0) throw inUse(usedBy)
    await hideField(tx, { workspaceId, id })
    await endRewrites(tx, { workspaceId, fieldId: id })
    await beginRewrite(deps, tx, { workspaceId, fieldId: id, kind: 'delete' })
    await auditField(tx, caller, { action: 'custom_field.delete', before, after: undefined })
  })
}

/** Everything that names a field, by whichever of the keys that mean it. */
async function usersOf(
  { usedBy }: FieldDeps,
  tx: Transaction,
  { workspaceId, field: { id, key } }: { workspaceId: string; field: FieldRow },
): Promise<Use[]> {
  const users = new Map<string, Use>()
  for (const named of [key, ...(await formerKeysOf(tx, workspaceId, id))])
    for (const use of await usedBy(tx, workspaceId, named)) users.set(`${use.type} ${use.id}`, use)
  return [...users.values()]
}

/** The field, locked, and no value being written by the rule that it has now. */
async function heldField(tx: Transaction, workspaceId: string, { id, ifMatch }: FieldTarget): Promise<FieldRow> {
  await holdFieldsAlone(tx, workspaceId)
  const field = await fieldForChange(tx, workspaceId, id)
  if (!field) throw notFound()
  requireMatch(ifMatch, field)
  return field
}

async function refuseWhileRunning(tx: Transaction, field: FieldRef, pointer: string): Promise<void> {
  const kind = await runningKind(tx, field)
  if (kind !== undefined)
    throw unprocessable([{ pointer, detail: `must wait until the ${kind} of this field has ended` }])
}

async function beginRewrite(deps: FieldDeps, tx: Transaction, rewrite: FieldRef & NewRewrite): Promise<void> {
  const field = { workspaceId: rewrite.workspaceId, fieldId: rewrite.fieldId }
  await insertRewrite(tx, field, rewrite)
  await deps.enqueueRewrite(tx, field)
}

function readField(given: { key: string; name: string }): { key: string; name: string } {
  const errors: FieldError[] = []
  const keyFault = fieldKeyFault(given.key)
  if (keyFault !== undefined) errors.push({ pointer: '/key', detail: keyFault })
  const name = given.name.trim()
  if (name === '') errors.push({ pointer: '/name', detail: 'must not be empty' })
  if (errors.length > 0) throw invalid(errors)
  return { key: given.key, name }
}

type Recorded = { action: string; before: FieldRow | undefined; after: FieldRow | undefined }

async function auditField(tx: Transaction, caller: Caller, { action, before, after }: Recorded): Promise<void> {
  const { id, key } = (after ?? before)!
  const audited = (field: FieldRow | undefined) => field && { key: field.key, name: field.name, type: field.type }
  await recordAudit(tx, caller, {
    action,
    target: { type: 'custom_field', id, name: key },
    diff: diffOf(audited(before), audited(after)),
  })
}
