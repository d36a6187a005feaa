import type { Transaction } from '../../platform/db/transaction.ts'
import type { Use } from '../../platform/problem.ts'
import type { Caller } from '../auth/caller.ts'
import { CUSTOM } from './form-content.ts'
import { formsForRename, updateFormRows } from './form-queries.ts'
import { contentOf, recordForm } from './manage-forms.ts'
import type { FormContent } from './schemas.ts'

type Rename = { from: string; to: string }

/** The forms that ask for a custom field, named for a person. None is saved until the transaction ends. */
export async function formsNamingField(tx: Transaction, workspaceId: string, key: string): Promise<Use[]> {
  return usesOf(await formsChangedBy(tx, workspaceId, renamingField({ from: key, to: '' })))
}

/** The forms there are that give a tag, whatever the case of its letters; one that is made meanwhile may give one of that name. */
export async function formsNamingTag(tx: Transaction, workspaceId: string, name: string): Promise<Use[]> {
  return usesOf(await formsChangedBy(tx, workspaceId, renamingTag({ from: name, to: '' })))
}

/**
 * Lets the forms of a workspace follow a custom field to its new key, in the transaction that renames it: each gets one more
 * version. An earlier one may still be on somebody's screen: a former key still means the field.
 */
export function renameFieldInForms(tx: Transaction, caller: Caller, change: Rename): Promise<void> {
  return follow(tx, caller, renamingField(change))
}

/** Lets them follow a tag to its new name, in the same way. */
export function renameTagInForms(tx: Transaction, caller: Caller, change: Rename): Promise<void> {
  return follow(tx, caller, renamingTag(change))
}

/** A change of contents; undefined where there is nothing to change. */
type Change = (content: FormContent) => FormContent | undefined

const renamingField =
  ({ from, to }: Rename): Change =>
  (content) => {
    if (!content.fields.some(({ field }) => field === CUSTOM + from)) return undefined
    const fields = content.fields.map((one) => (one.field === CUSTOM + from ? { ...one, field: CUSTOM + to } : one))
    return { ...content, fields }
  }

const renamingTag =
  ({ from, to }: Rename): Change =>
  (content) => {
    const isIt = (tag: string) => tag.toLowerCase() === from.toLowerCase()
    return content.tags.some(isIt)
      ? { ...content, tags: [...new Set(content.tags.map((tag) => (isIt(tag) ? to : tag)))] }
      : undefined
  }

async function follow(tx: Transaction, caller: Caller, change: Change): Promise<void> {
  const { workspaceId } = caller
  const changed = await formsChangedBy(tx, workspaceId, change)
  if (changed.length === 0) return
  await updateFormRows(
    tx,
    workspaceId,
    changed.map(({ id, after }) => ({ id, content: JSON.stringify(after) })),
  )
  await Promise.all(changed.map((form) => recordForm(tx, caller, { verb: 'update', ...form })))
}

async function formsChangedBy(tx: Transaction, workspaceId: string, change: Change) {
  const forms = await formsForRename(tx, workspaceId)
  return forms.flatMap(({ id, content }) => {
    const before = contentOf(content)
    const after = change(before)
    return after === undefined ? [] : [{ id, before, after }]
  })
}

const usesOf = (forms: readonly { id: string; before: FormContent }[]): Use[] =>
  forms.map(({ id, before: { name } }) => ({ type: 'form', id, name }))
