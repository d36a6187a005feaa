import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDate } from './format-date.ts'

const AT = '2026-03-01T09:05:07.042Z'

test('a moment is written by the directives of strftime', () => {
  const written: Record<string, string> = {
    '%Y-%m-%d %H:%M:%S.%L': '2026-03-01 09:05:07.042',
    '%A, %-d %B %Y': 'Sunday, 1 March 2026',
    '%a %b %e|%_d|%-m|%3M': 'Sun Mar  1| 1|3|005',
    '%^A %^b %P %p %-I %l %k': 'SUNDAY MAR am AM 9  9  9',
    '%j %U %W %u %w %y %C %s %q': '060 09 08 7 0 26 20 1772355907 st',
    '%F %T %R %D %r': '2026-03-01 09:05:07 09:05 03/01/26 09:05:07 AM',
    '%z %:z %Z 100%% %K': '+0000 +00:00 UTC 100% %K',
  }
  for (const [format, text] of Object.entries(written)) assert.equal(formatDate(AT, format), text, format)
})

test('the same moment shows as the clocks of a place do, by summer and winter', () => {
  assert.equal(formatDate('2026-07-01T22:30:00Z', '%F %R %z', 'Europe/Berlin'), '2026-07-02 00:30 +0200')
  assert.equal(formatDate('2026-01-01T22:30:00Z', '%F %R %:z', 'America/St_Johns'), '2026-01-01 19:00 -03:30')
  assert.equal(formatDate('2026-01-01T22:30:00Z', '%R %s', 'Asia/Tokyo'), '07:30 1767306600')
})

test('seconds, dates and times without a place are read alike on every machine', () => {
  assert.equal(formatDate(0, '%F %T'), '1970-01-01 00:00:00')
  assert.equal(formatDate('86400', '%F'), '1970-01-02')
  assert.equal(formatDate('2026-03-01', '%F %T'), '2026-03-01 00:00:00')
  assert.equal(formatDate('2026-03-01 10:00', '%T'), '10:00:00')
  assert.equal(formatDate('2026-03-01T10:00:00+02:00', '%T'), '08:00:00')
  assert.match(formatDate('now', '%Y') ?? '', /^20\d\d$/)
})

test('what is no moment, and a place that is none, is undefined', () => {
  for (const value of ['soon', '', null, undefined, {}, 'x'.repeat(1_000)])
    assert.equal(formatDate(value, '%F'), undefined)
  assert.equal(formatDate(AT, '%F', 'Nowhere/Never'), undefined)
})
