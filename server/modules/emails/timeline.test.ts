import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailRow } from './email-queries.ts'
import { timelineOf } from './timeline.ts'

const at = (minute: number) => `2026-11-21T10:${String(minute).padStart(2, '0')}:00Z`
const sent: EmailRow & { reply: string | null } = {
  id: '1',
  purpose: 'marketing',
  surface: 'broadcast',
  status: 'sent',
  reason: null,
  destination: 'ada@example.com',
  contactId: '2',
  broadcastId: '3',
  automationId: null,
  templateId: null,
  subject: null,
  attempts: 2,
  scheduledAt: null,
  createdAt: at(0),
  settledAt: at(5),
  openedAt: null,
  clickedAt: null,
  unsubscribedAt: null,
  bouncedAt: null,
  complainedAt: null,
  reply: '250 OK',
}
const shown = (facts: Partial<Parameters<typeof timelineOf>[0]>) =>
  timelineOf({ message: sent, attempts: [], hits: [], reports: [], ...facts }).map(
    ({ at, type, reason, reply, url, byMachine }) =>
      [at.slice(14, 16), type, reason, reply, url, byMachine].filter((value) => value !== null).join(' '),
  )

test('a message tells its attempts, its end and what came back, in the order it happened', () => {
  const attempts = [{ at: at(1), attempt: 1, outcome: 'deferred', cause: 'transient', reply: '451 later' }]
  const reports = [{ at: at(9), kind: 'bounce' as const, cause: 'permanent', detail: '5.1.1 unknown' }]
  const message = { ...sent, bouncedAt: at(9), complainedAt: at(10) }
  assert.deepEqual(shown({ message, attempts, reports }), [
    '00 created',
    '01 attempt transient 451 later',
    '05 sent 250 OK',
    '09 bounced permanent 5.1.1 unknown',
    '10 complained',
  ])
})

test('an open or a click by a person is told once, by machines as often as it happened', () => {
  const message = { ...sent, openedAt: at(20), clickedAt: at(21) }
  const hits = [
    { at: at(6), kind: 'open' as const, url: null, verdict: 'machine' as const },
    { at: at(20), kind: 'open' as const, url: null, verdict: 'human' as const },
    { at: at(30), kind: 'click' as const, url: 'https://example.com', verdict: null },
  ]
  assert.deepEqual(shown({ message, hits }).slice(2), [
    '06 opened true',
    '20 opened false',
    // Nobody has judged a click yet, so the ledger's own is not one of those.
    '21 clicked',
    '30 clicked https://example.com',
  ])
})

test('a message that waits has not ended, one that is skipped tells why', () => {
  const waiting = { ...sent, status: 'queued' as const, settledAt: null, reply: null }
  assert.deepEqual(shown({ message: waiting }), ['00 created'])
  const skipped = { ...sent, status: 'skipped' as const, reason: 'canceled', reply: null }
  assert.deepEqual(shown({ message: skipped }), ['00 created', '05 skipped canceled'])
})
