import type { Queryable } from '../../platform/db/transaction.ts'

type Automation = { workspaceId: string; automationId: string }

const KEY = `hashtextextended('automation ' || $2::text, $1::bigint)`

/**
 * Turns go through the gate of their automation side by side, until their transactions end. A shared lock on its row would do,
 * were it not for who wants to change it: PostgreSQL grants shared locks past whoever waits for the row alone, and while many
 * people walk, turn follows turn without a gap. Here whoever waits is before those who come later.
 */
export async function passGate(tx: Queryable, { workspaceId, automationId }: Automation): Promise<void> {
  await tx.query({
    name: 'pass_gate_of_automation',
    text: `select pg_advisory_xact_lock_shared(${KEY})`,
    values: [workspaceId, automationId],
  })
}

/** Waits for the turns that are under way, and keeps others out until the transaction ends. */
export async function closeGate(tx: Queryable, { workspaceId, automationId }: Automation): Promise<void> {
  await tx.query({
    name: 'close_gate_of_automation',
    text: `select pg_advisory_xact_lock(${KEY})`,
    values: [workspaceId, automationId],
  })
}
