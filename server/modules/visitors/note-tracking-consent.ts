import type pg from 'pg'
import { inTransaction } from '../../platform/db/transaction.ts'
import { noteContactConsents } from '../consents/note-consent-changes.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import type { CollectConsentBody } from './schemas.ts'
import { visitorForChange } from './visitor-queries.ts'

/** Adds to the consent history of whom the visitor was recognised as. It says nothing about mail. */
export async function noteTrackingConsent(
  { sql }: { sql: pg.Pool },
  { workspaceId, paused }: Pick<FoundTracker, 'workspaceId' | 'paused'>,
  { visitorId, state, wording }: CollectConsentBody,
): Promise<void> {
  if (!visitorId || paused) return
  await inTransaction(sql, workspaceId, async (tx) => {
    const visitor = await visitorForChange(tx, workspaceId, visitorId)
    if (visitor === undefined) return
    const { contactId } = visitor
    await noteContactConsents(tx, workspaceId, [{ contactId, change: `tracking_${state}`, byWhom: 'person', wording }])
  })
}
