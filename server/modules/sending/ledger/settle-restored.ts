import type pg from 'pg'
import { byWorkspace } from '../../../platform/db/by-workspace.ts'
import { ALL_WORKSPACES, inTransaction } from '../../../platform/db/transaction.ts'
import { type Settled, settleAllowance } from '../../pacing/daily-allowance.ts'
import { unseen } from './has-arrived.ts'

/** Messages that one transaction settles. */
const STEP_ROWS = 5_000

const UNSEEN = unseen('q.handing_at', `'restored'`)

type Row = { workspaceId: string; integrationId: string | null; isHandedOver: boolean }

/**
 * Takes everything out of the queue that was due when the installation was held: it stood there when the backup was made,
 * and nobody knows of it what was sent afterwards. Those messages are uncertain, for their owners to decide on. Only
 * while nothing can be claimed. Returns how many there were; a call that is cut off is followed by one that goes on.
 */
export async function settleRestored(pool: pg.Pool, heldSince: string): Promise<number> {
  let total = 0
  for (;;) {
    const settled = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
      const { rows } = await tx.query<Row>({
        name: 'settle_restored_messages',
        // By key, not by place: a claim of before that is given back while this waits for it has another place by then.
        text: `with queued as materialized (
            select workspace_id, message_id, message_created_at, attempt, integration_id, handing_at
            from message_queue where due_at <= $1 limit ${STEP_ROWS} for update
          ), gone as (
            delete from message_queue q using queued k where q.workspace_id = k.workspace_id and q.message_id = k.message_id
          ), unknown as (
            update messages m set state = ${UNSEEN.state}, reason = ${UNSEEN.reason}, settled_at = now() from queued q
            where m.workspace_id = q.workspace_id and m.id = q.message_id and m.created_at = q.message_created_at
              and m.state = 'pending'
          ), noted as (
            insert into message_attempts (workspace_id, message_id, at, attempt, outcome, cause, integration_id)
            select workspace_id, message_id, clock_timestamp(), attempt, 'uncertain', 'restored', integration_id from queued
          )
          select workspace_id as "workspaceId", integration_id as "integrationId", handing_at is not null as "isHandedOver"
          from queued`,
        values: [heldSince],
      })
      const claimed = rows.filter(({ integrationId }) => integrationId !== null)
      for (const [workspaceId, of] of byWorkspace(claimed, (row) => row.workspaceId))
        await settleAllowance(tx, workspaceId, allowancesOf(of))
      return rows.length
    })
    total += settled
    if (settled < STEP_ROWS) return total
  }
}

function allowancesOf(rows: readonly Row[]): Settled[] {
  return [...Map.groupBy(rows, ({ integrationId }) => integrationId!)].map(([integrationId, of]) => {
    const sent = of.filter(({ isHandedOver }) => isHandedOver).length
    return { integrationId, sent, unused: of.length - sent }
  })
}
