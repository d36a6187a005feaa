import { notFound } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { readerMarkup } from '../readers/reader-page.ts'
import { readContent } from './form-content.ts'
import { definitionOf } from './form-definition.ts'
import { formPage } from './form-pages.ts'
import { formByIdStatement } from './form-queries.ts'
import { contentOf, type FormDeps } from './manage-forms.ts'
import type { FormChange, FormPreview } from './schemas.ts'
import { dressForm } from './show-form.ts'

/**
 * A form as its readers would see it with a change that is not saved: its own page, and what scripts show it by. Nothing can be sent
 * by it: it was never shown. Throws 400, 404, 422 as the change would.
 */
export async function previewForm(
  { sql }: FormDeps,
  workspaceId: string,
  { id, change }: { id: string; change: FormChange },
): Promise<FormPreview> {
  return inTransaction(sql, workspaceId, async (tx) => {
    const [row] = (await tx.query(formByIdStatement(workspaceId, id))).rows
    if (!row) throw notFound()
    const content = await readContent(tx, workspaceId, { ...contentOf(row.content), ...change })
    const { key, version } = row
    const shown = await dressForm(tx, { form: { workspaceId, id, key, version, content }, renderToken: '' })
    if (shown === undefined) throw notFound()
    // Work before sending is nothing that can be seen.
    return { page: readerMarkup(formPage(shown)), definition: { ...definitionOf(shown), challenge: false } }
  })
}
