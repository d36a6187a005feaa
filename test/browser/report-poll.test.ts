import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportPollMs } from '../../dashboard/features/broadcasts/report-poll.ts'

test('the report of a broadcast that was canceled is read as one that goes out, until nobody waits any more', () => {
  const going = reportPollMs({ status: 'sending', pendingCount: 0 })
  assert.equal(reportPollMs({ status: 'canceled', pendingCount: 1_071 }), going)
  for (const status of ['draft', 'scheduled', 'paused'] as const)
    assert.equal(reportPollMs({ status, pendingCount: 0 }), going)
  assert.ok(reportPollMs({ status: 'canceled', pendingCount: 0 }) > going)
  assert.ok(reportPollMs({ status: 'sent', pendingCount: 0 }) > going)
})
