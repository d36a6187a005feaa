import type { BroadcastRow, BroadcastState } from './queries.ts'
import type { Broadcast, BroadcastSummary } from './schemas.ts'

/** A broadcast as it is answered. */
export function broadcastOf(row: BroadcastRow): Broadcast {
  return { ...summaryOf(row), body: row.body, text: row.text }
}

/** The same without its content, for lists. */
export function summaryOf(row: BroadcastState): BroadcastSummary {
  const { segmentIds, excludedSegmentIds, endedAt, status } = row
  const only = segmentIds.length === 1 && excludedSegmentIds.length === 0 ? segmentIds[0]! : null
  return {
    id: row.id,
    name: row.name,
    subject: row.subject,
    fromName: row.fromName,
    fromEmail: row.fromEmail,
    integrationId: row.integrationId,
    topicId: row.topicId,
    segmentId: only,
    segmentIds,
    excludedSegmentIds,
    status,
    scheduledAt: row.scheduledAt,
    localTime: row.localTime,
    localTimeZone: row.localTimeZone,
    startedAt: row.startedAt,
    sentAt: status === 'sent' ? endedAt : null,
    failure: row.failure,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
