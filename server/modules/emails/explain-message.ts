import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { judgeSender, type SenderDeps } from '../sending/judge-sender.ts'
import { type ToldOrigin, toldOrigin } from '../sending/ledger/surface.ts'
import { type ExplainRow, explainableStatement } from './explain-queries.ts'
import { type Explanation, explanationOf } from './explanation.ts'

export type ExplainedMessage = Explanation &
  ToldOrigin &
  Pick<ExplainRow, 'id' | 'destination' | 'contactId' | 'state' | 'reason'>

export type ExplainDeps = { sql: pg.Pool; sender: SenderDeps }

/** Why somebody did or did not get a message of any source, as things stand now. Throws 404. */
export async function explainMessage(deps: ExplainDeps, workspaceId: string, id: string): Promise<ExplainedMessage> {
  const { row, fault } = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const { rows } = await tx.query(explainableStatement(workspaceId, id))
    const [row] = rows
    if (!row) throw notFound()
    const { integrationId, fromEmail } = row
    const isWaiting = row.state === 'pending'
    const fault = isWaiting ? await judgeSender(tx, deps.sender, { workspaceId, integrationId, fromEmail }) : undefined
    return { row, fault }
  })
  const { destination, contactId, state, reason } = row
  return { id: row.id, ...toldOrigin(row), destination, contactId, state, reason, ...explanationOf(row, fault) }
}
