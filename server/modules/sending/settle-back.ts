import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { BackBecause } from '../../platform/lanes/lane-tables.ts'
import { type Settled, settleAllowance } from '../pacing/daily-allowance.ts'
import { unseen } from './ledger/has-arrived.ts'

/** A claimed message that its turn has no more. */
export type BackMessage = {
  id: string
  createdAt: string
  attempt: number
  integrationId: string | null
  /** When its handover began; null where it did not. */
  handingAt: string | null
}

/**
 * Settles claims that went back. A message that a lost turn was handing over is uncertain: the server may have it, and
 * nobody can know, unless it has been opened or has come back meanwhile. One that an ending turn was handing over may yet be answered for.
 */
export async function settleBack(
  tx: Transaction,
  workspaceId: string,
  claims: readonly (BackMessage & { stays: boolean })[],
  because: BackBecause,
): Promise<void> {
  const settled = because === 'lost' ? claims : claims.filter(({ stays }) => !stays)
  const uncertain = settled.filter(({ stays }) => stays)
  if (uncertain.length > 0) await recordUncertain(tx, workspaceId, uncertain)
  const allowances = [...Map.groupBy(settled, ({ integrationId }) => integrationId)].flatMap(
    ([integrationId, of]): Settled[] => {
      const sent = of.filter(({ stays }) => stays).length
      return integrationId === null ? [] : [{ integrationId, sent, unused: of.length - sent }]
    },
  )
  if (allowances.length > 0) await settleAllowance(tx, workspaceId, allowances)
}

const UNSEEN = unseen('l.handing_at', `'process_lost'`)

async function recordUncertain(tx: Transaction, workspaceId: string, claims: readonly BackMessage[]): Promise<void> {
  await tx.query({
    name: 'record_lost_messages',
    text: `with lost as materialized (
        select * from unnest($2::int8[], $3::text[]::timestamptz[], $4::int8[], $5::int8[], $6::text[]::timestamptz[])
          as l(message_id, message_created_at, attempts, integration_id, handing_at)
      ), gone as (
        delete from message_queue where workspace_id = $1 and message_id = any ($2::int8[])
      ), unknown as (
        update messages m set state = ${UNSEEN.state}, reason = ${UNSEEN.reason}, settled_at = now(),
          attempts = l.attempts, integration_id = l.integration_id,
          bounced_at = case when m.bounced_at >= l.handing_at then m.bounced_at end
        from lost l
        where m.workspace_id = $1 and m.id = l.message_id and m.created_at = l.message_created_at and m.state = 'pending'
      )
      insert into message_attempts (workspace_id, message_id, at, attempt, outcome, cause, integration_id)
      select $1, message_id, clock_timestamp(), attempts, 'uncertain', 'process_lost', integration_id from lost`,
    values: [
      workspaceId,
      int8Array(claims.map(({ id }) => id)),
      textArray(claims.map(({ createdAt }) => createdAt)),
      int8Array(claims.map(({ attempt }) => String(attempt + 1))),
      int8Array(claims.map(({ integrationId }) => integrationId)),
      textArray(claims.map(({ handingAt }) => handingAt)),
    ],
  })
}
