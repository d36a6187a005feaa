import type pg from 'pg'
import { emailPartitions } from '../../server/modules/emails/email-partitions.ts'
import { eventPartitions } from '../../server/modules/events/event-partitions.ts'
import { messagePartitions } from '../../server/modules/sending/ledger/message-partitions.ts'
import { HIT_PARTITIONS } from '../../server/modules/tracking/hit-partitions.ts'
import { DELIVERY_PARTITIONS } from '../../server/modules/webhooks/delivery-partitions.ts'
import { ensurePartitions } from '../../server/platform/db/partitions.ts'

/** Makes the partitions that the modules declare, for tests that do not put the modules together. */
export async function ensureAllPartitions(pool: pg.Pool): Promise<void> {
  const keepDays = 400
  const tables = [
    ...eventPartitions({ eventsDays: keepDays, outboxDays: keepDays }),
    ...messagePartitions(keepDays),
    ...emailPartitions(keepDays),
    ...DELIVERY_PARTITIONS,
    HIT_PARTITIONS,
  ]
  await Promise.all(tables.map((table) => ensurePartitions(pool, table)))
}
