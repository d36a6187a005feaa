import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { ContactRow } from './queries.ts'

/** The contact as every surface answers it. */
export function contactOf(row: ContactRow) {
  return { ...row, customFields: parseExactJson(row.customFields) as Record<string, unknown> }
}
