import type pg from 'pg'
import { MERGE_FIELDS, type MergeField } from '../../catalogue/contact-fields.ts'
import { assertNever } from '../../platform/assert-never.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { PAGE_SIZE_MAX } from '../../platform/schema/paging.ts'
import type { FieldType } from '../custom-fields/fit-value.ts'
import { formerKeys, underEveryKey } from '../custom-fields/former-keys.ts'
import { listFields } from '../custom-fields/read-fields.ts'
import type { MergeContact } from './merge-variables.ts'

/** A person who has a value for each custom field of a workspace, by each of its names, so that a preview shows where it goes. */
export async function sampleContact(sql: pg.Pool, workspaceId: string): Promise<MergeContact> {
  const core = Object.fromEntries(MERGE_FIELDS.map(({ name, mergeSample }) => [name, mergeSample]))
  const [{ items }, former] = await Promise.all([
    listFields(sql, workspaceId, { page: 1, pageSize: PAGE_SIZE_MAX }),
    inTransaction(sql, workspaceId, (tx) => formerKeys(tx, workspaceId)),
  ])
  const customFields = Object.fromEntries(items.map(({ key, name, type }) => [key, sampleValue(name, type)]))
  return { ...(core as Record<MergeField, string>), customFields: underEveryKey(customFields, former) }
}

function sampleValue(name: string, type: FieldType): unknown {
  switch (type) {
    case 'string':
      return name
    case 'number':
      return 42
    case 'boolean':
      return true
    case 'datetime':
      return '2026-01-15T09:30:00Z'
    case 'date':
      return '1990-01-15'
    default:
      return assertNever(type)
  }
}
