import { inTransaction } from '../../platform/db/transaction.ts'
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
  const { workspaceId, version, content } = form
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const keys = customKeys(content.fields)
    const [brand, customNames] = await Promise.all([brandOf(tx, workspaceId), fieldNames(tx, workspaceId, keys)])
    if (brand === undefined) return undefined
    const renderToken = makeRenderToken(deps.keys, { formKey, version, atMs: deps.now() })
    return { form, brand: { ...brand, language: content.locale ?? brand.language }, customNames, renderToken }
  })
}
