import type { Transaction } from '../../platform/db/transaction.ts'
import type { Use } from '../../platform/problem.ts'
import type { Caller } from '../auth/caller.ts'
import { CUSTOM } from './form-content.ts'
import { formsForFieldChange, updateFormRows } from './form-queries.ts'
import { contentOf, recordForm } from './manage-forms.ts'

/** The forms that ask for a custom field, named for a person. Its key does not change until the transaction ends. */
export async function formsNamingField(tx: Transaction, workspaceId: string, key: string): Promise<Use[]> {
  const forms = await formsAsking(tx, workspaceId, key)
  return forms.map(({ id, content: { name } }) => ({ type: 'form', id, name }))
}

/**
 * Lets the forms of a workspace follow a custom field to its new key, in the transaction that renames it: each gets one more
 * version. An earlier one may still be on somebody's screen: a former key still means the field.
 */
export async function renameFieldInForms(
  tx: Transaction,
  caller: Caller,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const { workspaceId } = caller
  const asking = await formsAsking(tx, workspaceId, from)
  if (asking.length === 0) return
  const renamed = asking.map(({ id, content }) => ({
    id,
    before: content,
    after: {
      ...content,
      fields: content.fields.map((one) => (one.field === CUSTOM + from ? { ...one, field: CUSTOM + to } : one)),
    },
  }))
  await updateFormRows(
    tx,
    workspaceId,
    renamed.map(({ id, after }) => ({ id, content: JSON.stringify(after) })),
  )
  await Promise.all(renamed.map((form) => recordForm(tx, caller, { verb: 'update', ...form })))
}

async function formsAsking(tx: Transaction, workspaceId: string, key: string) {
  const forms = await formsForFieldChange(tx, workspaceId, JSON.stringify(CUSTOM + key))
  return forms
    .map(({ id, content }) => ({ id, content: contentOf(content) }))
    .filter(({ content }) => content.fields.some(({ field }) => field === CUSTOM + key))
}
