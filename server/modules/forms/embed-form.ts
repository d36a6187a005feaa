import { inTransaction } from '../../platform/db/transaction.ts'
import { fieldNames } from '../custom-fields/fields-named.ts'
import { brandOf } from '../readers/brand.ts'
import { readerTexts } from '../readers/reader-texts.ts'
import { customKeys } from './form-content.ts'
import { formMarkup } from './form-markup.ts'
import { type FormDeps, readForm } from './manage-forms.ts'
import type { FormEmbed } from './schemas.ts'

const STYLE = '<style>.away{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}</style>'

/**
 * The form as HTML for a page of somebody else, with nothing to load. Where it was filled in nobody can tell when it was shown:
 * our page then shows it once more, as it was filled in, for one press. Throws 404.
 */
export async function embedForm(deps: FormDeps, workspaceId: string, id: string): Promise<FormEmbed> {
  const { key, url, ...content } = await readForm(deps, workspaceId, id)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const [brand, customNames] = await Promise.all([
      brandOf(tx, workspaceId),
      fieldNames(tx, workspaceId, customKeys(content.fields)),
    ])
    const texts = readerTexts(content.locale ?? brand?.language ?? 'en')
    const action = `${deps.baseUrl.href}collect/forms/${key}`
    const { markup } = formMarkup({ formKey: key, action, content, texts, customNames, renderToken: null })
    const script = `<div data-postroom-form="${key}"></div>\n<script async src="${deps.baseUrl.href}f.js"></script>\n`
    return { url, html: `${markup}\n${STYLE}\n`, script }
  })
}
