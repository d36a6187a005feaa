import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Holding, holdMails } from './hold-mails.ts'

const HOUR = 3_600_000_000
const BEGIN = Date.parse('2026-11-02T00:00:00Z') * 1_000
const NEVER = Number.POSITIVE_INFINITY

const free: Holding = {
  restraints: { quietHours: null, frequencyCap: null },
  ...{ zone: null, gone: [], until: BEGIN + 1_000 * HOUR },
}
const quiet: Holding = {
  ...free,
  restraints: { ...free.restraints, quietHours: { from: '21:00', until: '08:00', zone: 'UTC' } },
}
const capped = (waitHours: number): Holding => ({
  ...free,
  restraints: { quietHours: null, frequencyCap: { messages: 2, days: 1, waitHours } },
})
/** By hours since the beginning: when each goes, or why it does not, and what it waited for. */
function fates(
  holding: Holding,
  ...mails: readonly (readonly [at: number, more?: { notAfter?: number; leavesAt?: number; priority?: number }])[]
) {
  const of = ([at, { notAfter = NEVER, leavesAt = NEVER, priority = 1 } = {}]: (typeof mails)[number]) => ({
    ...{ at: BEGIN + at * HOUR, notAfter: BEGIN + notAfter * HOUR, priority },
    refusalAt: (moment: number) => (moment >= BEGIN + leavesAt * HOUR ? 'run_ended' : undefined),
  })
  return holdMails(mails.map(of), holding).map(({ sentAt, skipped, heldFor }) => {
    const end = sentAt === null ? (skipped ?? 'waits') : (sentAt - BEGIN) / HOUR
    return [end, ...heldFor].join(' ')
  })
}

test('what is due in the quiet hours goes at their end, by the clock of the person', () => {
  assert.deepEqual(fates(quiet, [3], [12], [22]), ['8 quiet_hours', '12', '32 quiet_hours'])
  assert.deepEqual(fates({ ...quiet, zone: 'Asia/Tokyo' }, [3], [12]), ['3', '23 quiet_hours'])
  assert.deepEqual(fates({ ...quiet, zone: 'Mars/Base' }, [3]), ['8 quiet_hours'])
})

test('mail that may not wait for so long is skipped, and taken back where its run ends or nobody may mail them any more', () => {
  assert.deepEqual(fates(quiet, [3, { notAfter: 7 }], [3, { notAfter: 8 }]), [
    'quiet_hours quiet_hours',
    '8 quiet_hours',
  ])
  assert.deepEqual(fates(quiet, [3, { leavesAt: 5 }], [3, { leavesAt: 9 }]), ['run_ended quiet_hours', '8 quiet_hours'])
  assert.deepEqual(fates({ ...quiet, until: BEGIN + 7 * HOUR }, [3]), ['waits quiet_hours'])
})

test('beyond what a person gets mail waits for room among that of others, the older first, for as long as it may', () => {
  assert.deepEqual(fates(capped(48), [1], [2], [3], [4]), ['1', '2', '25 frequency_cap', '26 frequency_cap'])
  assert.deepEqual(fates({ ...capped(48), gone: [BEGIN - 2 * HOUR, BEGIN] }, [1], [2]), [
    '22 frequency_cap',
    '24 frequency_cap',
  ])
  assert.deepEqual(fates(capped(10), [1], [2], [3]), ['1', '2', 'frequency_cap frequency_cap'])
  assert.deepEqual(fates(capped(0), [1], [1], [1]), ['1', '1', 'frequency_cap frequency_cap'])
})

test('of those that wait for room the weightiest goes first, then the oldest; whoever comes later waits behind them', () => {
  assert.deepEqual(fates(capped(48), [1], [2], [3], [4, { priority: 2 }]), [
    ...['1', '2', '26 frequency_cap', '25 frequency_cap'],
  ])
  assert.deepEqual(fates(capped(48), [1], [2], [3, { priority: 0 }], [4], [25, { priority: 0 }]), [
    ...['1', '2', '26 frequency_cap', '25 frequency_cap', '49 frequency_cap'],
  ])
  // Behind one that has been taken back nobody waits.
  assert.deepEqual(fates(capped(48), [1], [2], [3, { leavesAt: 20 }], [24]), [
    ...['1', '2', 'run_ended frequency_cap', '25 frequency_cap'],
  ])
})

test('room that comes in the quiet hours is taken at their end', () => {
  const restraints = { ...quiet.restraints, frequencyCap: { messages: 1, days: 1, waitHours: 72 } }
  assert.deepEqual(fates({ ...quiet, restraints, gone: [BEGIN] }, [9]), ['32 frequency_cap quiet_hours'])
})
