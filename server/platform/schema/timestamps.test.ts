import assert from 'node:assert/strict'
import test from 'node:test'
import { isTimestamp } from './timestamps.ts'

test('RFC 3339 timestamps on real days pass', () => {
  for (const text of [
    '2026-11-21T03:10:40Z',
    '2026-11-21T03:10:40.123456Z',
    '2026-11-21t03:10:40z',
    '2024-02-29T23:59:59+14:00',
    '2000-02-29T00:00:00-00:30',
    '2026-12-31 23:59:60Z',
  ]) {
    assert.ok(isTimestamp(text), text)
  }
})

test('anything else does not', () => {
  for (const text of [
    '',
    '2026-11-21',
    '2026-11-21T03:10:40',
    '2026-11-21T03:10Z',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T03:60:00Z',
    '2026-11-21T03:10:61Z',
    '2026-11-21T03:10:40+16:00',
    '2026-11-21T03:10:40+0200',
    '2026-11-21T03:10:40.Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-11-21T03:10:40Z ',
    '+2026-11-21T03:10:40Z',
    '２026-11-21T03:10:40Z',
  ]) {
    assert.ok(!isTimestamp(text), text)
  }
})
