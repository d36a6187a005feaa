import type { PartitionNeed } from '../../platform/db/expire-partitions.ts'
import type { ExpiringTable } from '../../platform/db/partitions.ts'
import { isUnreadBy, NEEDS_OF_GROUPS } from '../../platform/outbox/unread.ts'
import { BROWSER_ID_PARTITIONS, BROWSER_IDS_KEEP_DAYS } from './append-browser-events.ts'
import { persistEvent } from './persist-event.ts'
import { EVENT_PARTITIONS, OUTBOX_PARTITIONS } from './queries.ts'

export type EventRetention = { eventsDays: number; outboxDays: number }

export function eventPartitions({ eventsDays, outboxDays }: EventRetention): ExpiringTable[] {
  return [
    { ...OUTBOX_PARTITIONS, keepDays: outboxDays },
    { ...EVENT_PARTITIONS, keepDays: eventsDays },
    { ...BROWSER_ID_PARTITIONS, keepDays: BROWSER_IDS_KEEP_DAYS },
  ]
}

/** Events are stored under the time they were recorded at: their month stays while some of it are only in the log. */
export const EVENT_NEEDS: readonly PartitionNeed[] = [
  NEEDS_OF_GROUPS,
  { table: 'events', isNeeded: (tx, month) => isUnreadBy(tx, persistEvent.group, month) },
]
