import type pg from 'pg'
import { PAGE_SIZE_MAX } from '../../../platform/schema/paging.ts'
import { listFields } from '../../custom-fields/read-fields.ts'
import { type MergeContact, strangerAt } from '../../templates/merge-variables.ts'
import { sampleContact } from '../../templates/sample-contact.ts'

/** The person that a test and a preflight are rendered for: somebody who has a value for each custom field. */
export async function samplePerson(sql: pg.Pool, workspaceId: string): Promise<MergeContact> {
  const { items } = await listFields(sql, workspaceId, { page: 1, pageSize: PAGE_SIZE_MAX })
  return sampleContact(items)
}

/** Somebody of whom nothing but the address is known: what is rendered for them must render as well. */
export const STRANGER: MergeContact = strangerAt('alex.sample@example.com')
