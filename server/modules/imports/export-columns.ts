import { CONTACT_FIELD_NAMES } from '../../catalogue/contact-fields.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { valueText } from '../../platform/json/value-text.ts'
import { type FormerKeys, underEveryKey } from '../custom-fields/former-keys.ts'
import { CUSTOM } from './mapping.ts'

/** Columns an export can hold beside custom fields; an import knows their names again. */
export const EXPORT_COLUMNS = ['id', ...CONTACT_FIELD_NAMES, 'status', 'tags', 'createdAt', 'updatedAt']

const NAMES: ReadonlySet<string> = new Set(EXPORT_COLUMNS)

export function isExportColumn(name: string): boolean {
  return NAMES.has(name) || (name.startsWith(CUSTOM) && name.length > CUSTOM.length)
}

type Exported = Record<string, unknown> & { tags: string[]; customFields: Record<string, unknown> }

/** A contact's values in the order of the columns, as text; a field that was renamed since the columns were chosen has them under both keys. */
export function valuesOf(contact: string, columns: readonly string[], former: FormerKeys): string[] {
  const row = parseExactJson(contact) as Exported
  const customFields = underEveryKey(row.customFields, former)
  return columns.map((column) => {
    if (column === 'tags') return tagsText(row.tags)
    return valueText(column.startsWith(CUSTOM) ? customFields[column.slice(CUSTOM.length)] : row[column])
  })
}

/** As an import splits them: separated by commas, in quotes where they hold what separates. */
function tagsText(tags: readonly string[]): string {
  return tags.map((tag) => (/[",;]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(',')
}
