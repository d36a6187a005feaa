import type pg from 'pg'
import { automationPartitions } from '../../server/modules/automations/run-partitions.ts'
import { emailPartitions } from '../../server/modules/emails/email-partitions.ts'
import { BROWSER_ID_PARTITIONS } from '../../server/modules/events/append-browser-events.ts'
import { EVENT_PARTITIONS, OUTBOX_PARTITIONS } from '../../server/modules/events/queries.ts'
import { messagePartitions } from '../../server/modules/sending/ledger/message-partitions.ts'
import { HIT_PARTITIONS } from '../../server/modules/tracking/hit-partitions.ts'
import { DELIVERY_PARTITIONS } from '../../server/modules/webhooks/delivery-partitions.ts'
import { ensurePartitions } from '../../server/platform/db/partitions.ts'
import { DAY_MS } from '../../server/platform/durations.ts'

const KEEP_DAYS = 400
/** Tests make rows as old as this, also in the first days of a month. */
const AGED_DAYS = 3

/**
 * Makes the partitions that the modules declare, for tests that do not put the modules together. The log gets those of `daysAhead` more
 * days: two make every look at it cheaper than the eight of the service.
 */
export async function ensureAllPartitions(pool: pg.Pool, { daysAhead = OUTBOX_PARTITIONS.ahead } = {}): Promise<void> {
  const tables = [
    { ...OUTBOX_PARTITIONS, ahead: daysAhead },
    ...[EVENT_PARTITIONS, BROWSER_ID_PARTITIONS, HIT_PARTITIONS, ...DELIVERY_PARTITIONS],
    ...[messagePartitions, emailPartitions, automationPartitions].flatMap((of) => of(KEEP_DAYS)),
  ]
  // One after the other: most are there, and a connection for each costs more than to look.
  for (const table of tables) await ensurePartitions(pool, table)
  const ago = new Date(Date.now() - AGED_DAYS * DAY_MS)
  if (ago.getUTCMonth() === new Date().getUTCMonth()) return
  for (const table of tables) if (table.span === 'month') await ensurePartitions(pool, { ...table, ahead: 0 }, ago)
}
