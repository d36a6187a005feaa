import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { isFormKey } from './form-key.ts'
import { formByKeyStatement } from './form-queries.ts'
import { contentOf } from './manage-forms.ts'
import type { FormContent } from './schemas.ts'

/** A form as browsers find it. */
export type FoundForm = { workspaceId: string; id: string; key: string; version: number; content: FormContent }

/** The form of a key, paused or not; undefined for any that is none of ours. */
export async function findForm(sql: pg.Pool, key: string): Promise<FoundForm | undefined> {
  if (!isFormKey(key)) return undefined
  const [row] = await queryInScope(sql, ALL_WORKSPACES, formByKeyStatement(key))
  return row && { ...row, content: contentOf(row.content) }
}
