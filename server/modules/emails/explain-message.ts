import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type ToldOrigin, toldOrigin } from '../sending/ledger/surface.ts'
import { type ExplainRow, explainableStatement } from './explain-queries.ts'
import { type Explanation, explanationOf } from './explanation.ts'

export type ExplainedMessage = Explanation &
  ToldOrigin &
  Pick<ExplainRow, 'id' | 'destination' | 'contactId' | 'state' | 'reason'>

/** Why somebody did or did not get a message of any source, as things stand now. Throws 404. */
export async function explainMessage(
  deps: { sql: pg.Pool },
  workspaceId: string,
  id: string,
): Promise<ExplainedMessage> {
  const [row] = await queryInScope(deps.sql, workspaceId, explainableStatement(workspaceId, id))
  if (!row) throw notFound()
  const { destination, contactId, state, reason } = row
  return { id: row.id, ...toldOrigin(row), destination, contactId, state, reason, ...explanationOf(row) }
}
