import type { Transaction } from '../../platform/db/transaction.ts'

/**
 * A writer of values, or of what names fields by their keys, holds the fields as they are until the transaction ends, with others who do.
 * A change of a field waits for them and holds them up: after it, every value that is not yet written meets the new rule, and it has found
 * whatever names its field.
 */
export async function holdFields(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'hold_custom_fields',
    text: `select pg_advisory_xact_lock_shared(hashtextextended('custom_fields', $1))`,
    values: [workspaceId],
  })
}

export async function holdFieldsAlone(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'hold_custom_fields_alone',
    text: `select pg_advisory_xact_lock(hashtextextended('custom_fields', $1))`,
    values: [workspaceId],
  })
}

/**
 * Those who add inferred fields take turns until the transaction ends, so that each of them counts what the one before has added. It is
 * not the lock that holds the fields: two who have that one both would wait for each other to let go of it.
 */
export async function takeInferringTurn(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'take_inferring_turn',
    text: `select pg_advisory_xact_lock(hashtextextended('custom_fields.infer', $1))`,
    values: [workspaceId],
  })
}
