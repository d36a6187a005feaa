import type { Transaction } from '../../platform/db/transaction.ts'
import { type FieldRule, rulesOf } from './queries.ts'

/** The fields of these keys that there are, declared and inferred. */
export function fieldsNamed(tx: Transaction, workspaceId: string, keys: readonly string[]): Promise<FieldRule[]> {
  return rulesOf(tx, workspaceId, keys)
}
