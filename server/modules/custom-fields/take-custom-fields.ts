import type { Transaction } from '../../platform/db/transaction.ts'
import { type FieldError, pointerTo } from '../../platform/problem.ts'
import { recordSystemAudit } from '../audit/record-audit.ts'
import { FIELD_TYPES, type FieldType, fitValue, inferType, UNFIT } from './fit-value.ts'
import { holdFields, takeInferringTurn } from './hold-fields.ts'
import { FIELDS_MAX, type FieldRule, type InferredField, inferFields, rulesOf } from './queries.ts'

export { FIELD_TYPES, type FieldType }

/** A contact's custom fields as they are to be merged into what it has, or what is wrong with them. */
export type Taken = {
  /** A null removes its key. */
  values: Record<string, unknown>
  /** Pointers `/customFields/<key>`. */
  errors: FieldError[]
}

/**
 * Holds the custom fields that contacts are given to the workspace's declarations: values of a declared type are
 * converted where nothing is lost, or reported; values of an inferred type are taken as they are; unknown keys become
 * fields of the type of their first value. Values under a key that a field had before a rename are taken under the one that it has;
 * while the rename runs, what the contact may still have under the old one goes.
 * Two statements however many maps; more only for unknown keys, whose writers take turns. In the transaction that writes the values.
 */
export async function takeCustomFields(
  tx: Transaction,
  workspaceId: string,
  maps: readonly Record<string, unknown>[],
): Promise<Taken[]> {
  const keys = [...new Set(maps.flatMap((map) => Object.keys(map)))]
  if (keys.length === 0) return maps.map(() => ({ values: {}, errors: [] }))
  const [, rules] = await Promise.all([holdFields(tx, workspaceId), rulesOf(tx, workspaceId, keys)])
  const unknown = firstValues(maps, rules)
  if (unknown.size > 0) {
    // Sent together, in this order: others may have added some of them before the turn came.
    const [, added] = await Promise.all([
      takeInferringTurn(tx, workspaceId),
      rulesOf(tx, workspaceId, [...unknown.keys()]),
    ])
    for (const [key, rule] of added) {
      rules.set(key, rule)
      unknown.delete(key)
    }
    const inferred = [...unknown].map(([key, value]) => ({ key, type: inferType(value) }))
    const fields = await inferFields(tx, workspaceId, inferred)
    for (const field of fields) rules.set(field.key, field)
    await auditInferred(tx, workspaceId, fields)
  }
  return maps.map((map) => take(map, rules))
}

/** Adds fields of a guessed type, as the first value of an unknown key does; those that are there stay as they are. Without a name it is the key. */
export async function addInferredFields(
  tx: Transaction,
  workspaceId: string,
  fields: readonly { key: string; type: FieldType; name?: string }[],
): Promise<void> {
  if (fields.length === 0) return
  await holdFields(tx, workspaceId)
  await takeInferringTurn(tx, workspaceId)
  await auditInferred(tx, workspaceId, await inferFields(tx, workspaceId, fields))
}

/** In the name of the system, which guessed the type: whoever gave the value has an entry of their own. */
async function auditInferred(tx: Transaction, workspaceId: string, fields: readonly InferredField[]): Promise<void> {
  const entryOf = ({ id, key, type }: InferredField) => ({
    action: 'custom_field.create',
    target: { type: 'custom_field', id, name: key },
    diff: { key: { from: null, to: key }, type: { from: null, to: type } },
  })
  const added = fields.filter((field) => field.added)
  await Promise.all(added.map((field) => recordSystemAudit(tx, workspaceId, entryOf(field))))
}

/**
 * Stored custom fields of a contact as they have to be written into another one: a change of a field whose background
 * walk has passed that one but not this is done to them here. A value that does not fit its type stays as it is.
 */
export async function carryCustomFields(
  tx: Transaction,
  workspaceId: string,
  stored: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const keys = Object.keys(stored)
  if (keys.length === 0) return stored
  const [, rules] = await Promise.all([holdFields(tx, workspaceId), rulesOf(tx, workspaceId, keys)])
  const carried: Record<string, unknown> = {}
  for (const [given, value] of Object.entries(stored)) {
    const rule = rules.get(given)
    if (rule?.deleting) continue
    const key = rule?.key ?? given
    // A value under the new key is the younger one.
    if (key !== given && Object.hasOwn(stored, key)) continue
    carried[key] = rule?.declared ? (fitValue(rule.type, value)?.value ?? value) : value
  }
  return carried
}

/** Keys that no field has, with the first value each is given. */
function firstValues(maps: readonly Record<string, unknown>[], rules: ReadonlyMap<string, FieldRule>) {
  const found = new Map<string, unknown>()
  for (const map of maps) {
    for (const [key, value] of Object.entries(map)) {
      if (value !== null && !rules.has(key) && !found.has(key)) found.set(key, value)
    }
  }
  return found
}

function take(map: Record<string, unknown>, rules: ReadonlyMap<string, FieldRule>): Taken {
  const taken: Taken = { values: {}, errors: [] }
  for (const [given, value] of Object.entries(map)) {
    const rule = rules.get(given)
    const fault = faultOf(rule, value)
    if (fault !== undefined) {
      taken.errors.push({ pointer: pointerTo('customFields', given), detail: fault })
      continue
    }
    const { key = given, previousKey = null } = rule ?? {}
    // Given under both keys, the new one counts.
    if (key !== given && Object.hasOwn(map, key)) continue
    if (previousKey !== null) taken.values[previousKey] = null
    taken.values[key] = rule?.declared && value !== null ? fitValue(rule.type, value)?.value : value
  }
  return taken
}

function faultOf(rule: FieldRule | undefined, value: unknown): string | undefined {
  if (value === null) return undefined
  if (!rule) return `is one field more than the ${FIELDS_MAX} that a workspace can have`
  if (rule.deleting) return 'is being deleted'
  return rule.declared && fitValue(rule.type, value) === undefined ? UNFIT[rule.type] : undefined
}
