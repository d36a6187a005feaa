import type pg from 'pg'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { holdForConsent } from '../consents/hold-for-consent.ts'
import { noteContactConsents } from '../consents/note-consent-changes.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import type { CollectConsentBody } from './schemas.ts'
import { contactOfVisitor } from './visitor-queries.ts'

/** Adds to the consent history of whom the visitor was recognised as. It says nothing about mail. */
export async function noteTrackingConsent(
  { sql }: { sql: pg.Pool },
  { workspaceId, paused }: Pick<FoundTracker, 'workspaceId' | 'paused'>,
  { visitorId, state, wording }: CollectConsentBody,
): Promise<void> {
  if (!visitorId || paused) return
  await inTransaction(sql, workspaceId, async (tx) => {
    const contactId = await holdPersonOf(tx, workspaceId, visitorId)
    if (contactId === undefined) return
    await noteContactConsents(tx, workspaceId, [{ contactId, change: `tracking_${state}`, byWhom: 'person', wording }])
  })
}

/**
 * Holds whom a visitor was recognised as, before all else, as merges and erasures do, which then come to the visitor; undefined: nobody.
 * One who became part of another meanwhile is looked up anew.
 */
async function holdPersonOf(tx: Transaction, workspaceId: string, visitorId: string): Promise<string | undefined> {
  for (;;) {
    const contactId = await contactOfVisitor(tx, workspaceId, visitorId)
    if (contactId === undefined) return undefined
    if ((await holdForConsent(tx, workspaceId, [contactId])).length > 0) return contactId
  }
}
