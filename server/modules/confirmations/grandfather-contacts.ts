import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { recordConsents } from '../consents/record-consents.ts'
import { holdNextContacts, withoutConsent } from './queries.ts'

const CONTACTS_PER_STEP = 5_000

/** Contacts that a workspace had before this moment. */
export type Grandfathering = { workspaceId: string; createdBefore: string }

export const GRANDFATHER_CONTACTS = jobKind<Grandfathering>({
  kind: 'grandfather_contacts',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/**
 * Records that everybody who was a contact at a time has agreed, save who unsubscribed from everything. May be cut off
 * and run again: who has a consent is passed over. False when it was told to stop before the end.
 */
export async function grandfatherContacts(
  pool: pg.Pool,
  { workspaceId, createdBefore }: Grandfathering,
  isOver: () => boolean,
): Promise<boolean> {
  const size = new StepSize(CONTACTS_PER_STEP)
  let after = '0'
  while (!isOver()) {
    const from = after
    const work = async (tx: Transaction, limit: number) => {
      const ids = await holdNextContacts(tx, workspaceId, { after: from, createdBefore, limit })
      const consent = { provenance: 'grandfathered', facts: {} } as const
      await recordConsents(
        tx,
        workspaceId,
        (await withoutConsent(tx, workspaceId, ids)).map((contactId) => ({ contactId, ...consent })),
      )
      return ids.length < limit ? undefined : ids.at(-1)
    }
    const last = await boundedStep(pool, workspaceId, { size, work })
    if (last === undefined) return true
    after = last
  }
  return false
}
