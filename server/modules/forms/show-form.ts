import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { fieldNames } from '../custom-fields/fields-named.ts'
import { type Brand, brandOf } from '../readers/brand.ts'
import { type FoundForm, findForm } from './find-form.ts'
import { customKeys } from './form-content.ts'
import { makeRenderToken } from './render-token.ts'
import type { TakeDeps } from './take-submission.ts'

/** A form with all that it takes to show it. */
export type FormShown = {
  form: FoundForm
  /** In the form's own language. */
  brand: Brand
  customNames: ReadonlyMap<string, string>
  renderToken: string
}

/** Undefined for a key that is none of ours. */
export async function showForm(deps: TakeDeps, formKey: string): Promise<FormShown | undefined> {
  const form = await findForm(deps.sql, formKey)
  if (form === undefined) return undefined
  return inTransaction(deps.sql, form.workspaceId, async (tx) => {
    const renderToken = makeRenderToken(deps.keys, { formKey, version: form.version, atMs: deps.now() })
    return dressForm(tx, { form, renderToken })
  })
}

/** A form with its workspace's looks; undefined for one of a workspace that is no more. */
export async function dressForm(
  tx: Transaction,
  { form, renderToken }: Pick<FormShown, 'form' | 'renderToken'>,
): Promise<FormShown | undefined> {
  const { workspaceId, content } = form
  const keys = customKeys(content.fields)
  const [brand, customNames] = await Promise.all([brandOf(tx, workspaceId), fieldNames(tx, workspaceId, keys)])
  if (brand === undefined) return undefined
  return { form, brand: { ...brand, language: content.locale ?? brand.language }, customNames, renderToken }
}
