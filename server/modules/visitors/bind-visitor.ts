import { randomBytes } from 'node:crypto'
import { PROOFS, type Proof } from '../../catalogue/proofs.ts'
import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { ATTACH_HISTORY } from './attach-history.ts'

const VISITOR_ID_BYTES = 16

/** The id of a visitor that is nobody yet. */
export const anotherVisitor = () => randomBytes(VISITOR_ID_BYTES).toString('hex')

/** Visitors that a contact has at most: more are no browsers of one person. */
const VISITORS_MAX = 50

/**
 * Has a visitor belong to a contact, as well as that was ever proven, and what it did before attached to the contact (`attach_history`). The
 * caller has made sure that it belongs to nobody else. The oldest of too many belong to nobody any more.
 */
export async function bindVisitor(
  tx: Transaction,
  workspaceId: string,
  { visitorId, contactId, proof }: { visitorId: string; contactId: string; proof: Proof },
): Promise<void> {
  const { rows } = await tx.query<{ isNew: boolean }>({
    name: 'bind_visitor',
    text: `insert into visitors as v (workspace_id, visitor_id, contact_id, proof) values ($1, $2, $3, $4)
      on conflict (workspace_id, visitor_id) do update set last_seen = excluded.last_seen,
        proof = case when array_position($5::text[], excluded.proof) > array_position($5::text[], v.proof) then excluded.proof else v.proof end
      returning xmax = 0 as "isNew"`,
    values: [workspaceId, visitorId, contactId, proof, textArray(PROOFS)],
  })
  if (!rows[0]!.isNew) return
  await tx.query({
    name: 'unbind_oldest_visitors',
    text: `delete from visitors where workspace_id = $1 and visitor_id in (
        select visitor_id from visitors where workspace_id = $1 and contact_id = $2 and visitor_id <> $3
        order by last_seen desc, visitor_id offset $4)`,
    values: [workspaceId, contactId, visitorId, VISITORS_MAX - 1],
  })
  await enqueue(tx, ATTACH_HISTORY, { workspaceId, visitorId, until: new Date().toISOString() })
}

/** Visitors of a contact become another's, which it is merged into. */
export async function moveVisitors(
  tx: Transaction,
  workspaceId: string,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  await tx.query({
    name: 'move_visitors',
    text: 'update visitors set contact_id = $3 where workspace_id = $1 and contact_id = $2',
    values: [workspaceId, fromId, toId],
  })
}
