import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { MESSAGE_STATES, type MessageState } from '../message-states.ts'
import type { MarkKind } from './mark-messages.ts'

/** A broadcast's messages by what became of them, exact and of one moment. */
export type Totals = {
  recipients: number
  states: Record<MessageState, number>
  /** `failed`, `skipped`, `suppressed`, `uncertain` by their reasons; only those that there are. */
  reasons: { state: MessageState; reason: string; count: number }[]
  /** Messages of which something came back at least once. */
  marks: Record<MarkKind, number>
}

/** The totals of broadcasts; one that has no messages yet has zeros. Never counts messages. */
export async function totalsOf(
  tx: Transaction,
  workspaceId: string,
  broadcastIds: readonly string[],
): Promise<Map<string, Totals>> {
  const { rows } = await tx.query<{ broadcastId: string; kind: string; total: string }>({
    name: 'message_totals_of',
    text: `select broadcast_id as "broadcastId", kind, sum(total) as total from message_totals
      where workspace_id = $1 and broadcast_id = any ($2::int8[]) group by 1, 2 having sum(total) <> 0 order by 1, 2`,
    values: [workspaceId, int8Array(broadcastIds)],
  })
  const totals = new Map(broadcastIds.map((id) => [id, noTotals()]))
  for (const row of rows) addTo(totals.get(row.broadcastId)!, row.kind, Number(row.total))
  return totals
}

function noTotals(): Totals {
  return {
    recipients: 0,
    states: { pending: 0, accepted: 0, failed: 0, suppressed: 0, skipped: 0, uncertain: 0 },
    reasons: [],
    marks: { opened: 0, clicked: 0, unsubscribed: 0, bounced: 0, complained: 0 },
  }
}

function addTo(totals: Totals, kind: string, count: number): void {
  const [head = '', reason] = kind.split(':')
  const state = MESSAGE_STATES.find((known) => known === head)
  if (state === undefined) {
    totals.marks[head as MarkKind] += count
    return
  }
  totals.recipients += count
  totals.states[state] += count
  if (reason !== undefined) totals.reasons.push({ state, reason, count })
}
