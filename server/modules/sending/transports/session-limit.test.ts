import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SESSION_MESSAGES_MAX, SessionLimit } from './session-limit.ts'

const MINUTES_MS = 60_000

test('a limit in words holds at once, the lowest counts, and after ten minutes it is tried again', () => {
  const limit = new SessionLimit()
  assert.equal(limit.at(0), SESSION_MESSAGES_MAX)
  limit.endedAfter(50, true, 0)
  limit.endedAfter(20, true, 1)
  limit.endedAfter(30, true, 2)
  assert.equal(limit.at(9 * MINUTES_MS), 20)
  assert.equal(limit.at(11 * MINUTES_MS), SESSION_MESSAGES_MAX)
})

test('ends without a word count when the same number comes twice in a row, and none before the first message', () => {
  const limit = new SessionLimit()
  for (const messages of [12, 40, 12, 0, 0, 7]) limit.endedAfter(messages, false, 0)
  assert.equal(limit.at(1), SESSION_MESSAGES_MAX)
  limit.endedAfter(7, false, 1)
  assert.equal(limit.at(2), 7)
})
