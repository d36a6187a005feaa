import { notFound } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type AutomationKey, type AutomationRow, automationByIdStatement } from './queries.ts'

export type StoredAutomation = AutomationRow

/** An automation as it is stored. Throws 404. */
export async function storedAutomation(tx: Transaction, key: AutomationKey): Promise<StoredAutomation> {
  const { rows } = await tx.query(automationByIdStatement(key))
  const [row] = rows
  if (!row) throw notFound()
  return row
}
