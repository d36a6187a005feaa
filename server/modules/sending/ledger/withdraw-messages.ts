import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type Settled, settleAllowance } from '../../pacing/daily-allowance.ts'

/**
 * Takes back the messages of runs that have ended, also those that a turn has in hand, unless they are being handed over:
 * their marks find nothing any more. Deleted by key, not by place: one that is claimed while this waits for it is a row that the
 * statement's snapshot does not know the place of.
 */
export async function withdrawMessages(tx: Transaction, workspaceId: string, runIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<Settled>({
    name: 'withdraw_messages',
    text: `with theirs as materialized (
        select message_id, created_at from run_messages where workspace_id = $1 and run_id = any ($2::int8[])
      ), held as materialized (
        select q.message_id from message_queue q
        where q.workspace_id = $1 and q.message_id = any (array(select message_id from theirs)) and q.handing_at is null
        order by q.message_id for update
      ), gone as (
        delete from message_queue where workspace_id = $1 and message_id = any (array(select message_id from held))
        returning message_id, message_created_at, integration_id
      ), settled as (
        update messages m set state = 'skipped', reason = 'run_ended', settled_at = now() from gone
        where m.workspace_id = $1 and m.id = gone.message_id and m.created_at = gone.message_created_at
          and m.state = 'pending'
      )
      select integration_id as "integrationId", 0 as sent, count(*)::int as unused from gone
      where integration_id is not null group by 1`,
    values: [workspaceId, int8Array(runIds)],
  })
  if (rows.length > 0) await settleAllowance(tx, workspaceId, rows)
}
