import { int8Array } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { IntegrationKey } from './integration-secrets.ts'

const keyOf = (id: string) => `hashtextextended('integration ' || ${id}, $1::bigint)`

/**
 * Turns of sending go through the gates of their integrations side by side, until their transactions end, before they hold a row of
 * one. The shared lock on its row would do, were it not for who deletes it: PostgreSQL grants shared locks past whoever waits for
 * the row alone, and while much mail goes out, turn follows turn without a gap. Here whoever waits is before those who come later.
 */
export async function passGates(tx: Queryable, workspaceId: string, integrationIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'pass_gates_of_integrations',
    text: `select pg_advisory_xact_lock_shared(${keyOf('of.id')}) from (
        select distinct id from unnest($2::int8[]) as given (id) order by id) of`,
    values: [workspaceId, int8Array(integrationIds)],
  })
}

/** Waits for the turns that are under way, and keeps others out until the transaction ends: before its row is locked. */
export async function closeGate(tx: Queryable, { workspaceId, id }: IntegrationKey): Promise<void> {
  await tx.query({
    name: 'close_gate_of_integration',
    text: `select pg_advisory_xact_lock(${keyOf('$2::text')})`,
    values: [workspaceId, id],
  })
}
