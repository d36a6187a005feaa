import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { AHEAD_MS, LATENESS_MS, NEW_PACE, noteRefusals, type Pace, rateAt, takeSlots } from './pace.ts'

const none = { transactional: 0, broadcast: 0 }

/** The most that any second of a sorted list has; a second begins at a message. */
function fullestSecond(times: readonly number[]): number {
  let first = 0
  let most = 0
  for (const [n, at] of times.entries()) {
    while (at - times[first]! >= 1_000) first += 1
    most = Math.max(most, n - first + 1)
  }
  return most
}

test('processes that take slots at random use the limit, and no second has one too many however late each arrives', () => {
  const seed = seedFrom('PACE_SEED')
  console.log(`PACE_SEED=${seed}`)
  const random = seededRandom(seed)
  for (const perSecond of [1, 3, 14, 50, 200, 1_000]) {
    let pace: Pace = NEW_PACE
    const seen: number[] = []
    const seconds = 100
    const start = 1_795_000_000_000
    for (let now = start; now < start + seconds * 1_000; now += random() * 100) {
      const taken = takeSlots(pace, { now, perSecond, transactional: random() < 0.3 ? 1 : 0, broadcast: 1_000 })
      pace = taken.pace
      for (const at of [...taken.transactional, ...taken.broadcast]) {
        assert.ok(at >= now)
        seen.push(at + random() * LATENESS_MS)
      }
    }
    const most = fullestSecond(seen.sort((a, b) => a - b))
    assert.ok(most <= perSecond, `${most} in a second at ${perSecond}/s`)
    assert.ok(seen.length >= 0.95 * perSecond * seconds, `${seen.length} in ${seconds} s at ${perSecond}/s`)
  }
})

test('a moment without processor time before the first refusal does not have the slow-down begin at its rate', () => {
  let pace: Pace = { ...NEW_PACE, countedFrom: 0, counted: 100, offeredPerSecond: 50 }
  pace = takeSlots(pace, { ...none, now: 2_000, perSecond: 60, broadcast: 4 }).pace
  pace = takeSlots(pace, { ...none, now: 4_000, perSecond: 60, broadcast: 1 }).pace
  const slowed = noteRefusals(pace, [4_000], 4_100)
  assert.ok(rateAt(slowed, 60, 4_100)! > 25)
})

test('a pause earns no burst', () => {
  let pace = takeSlots(NEW_PACE, { ...none, now: 0, perSecond: 10, broadcast: 1 }).pace
  const later = takeSlots(pace, { ...none, now: 60_000, perSecond: 10, broadcast: 100 })
  assert.equal(later.broadcast[0], 60_000)
  assert.equal(later.broadcast[1], 60_104)
  pace = later.pace
  assert.equal(later.broadcast.length, 5)
  assert.ok(later.nextAt > 60_500)
})

test('a broadcast leaves the slots beyond a moment to transactional mail, which gets the next one', () => {
  const busy = takeSlots(NEW_PACE, { ...none, now: 0, perSecond: 50, broadcast: 10_000 })
  assert.ok(busy.broadcast.at(-1)! <= AHEAD_MS.broadcast)
  const urgent = takeSlots(busy.pace, { now: 1, perSecond: 50, transactional: 2, broadcast: 10_000 })
  assert.equal(urgent.transactional[0], busy.nextAt)
  assert.equal(urgent.transactional.length, 2)
  assert.equal(urgent.broadcast.length, 0)
})

test('a changed limit holds from the next slot on', () => {
  const fast = takeSlots(NEW_PACE, { ...none, now: 0, perSecond: 100, broadcast: 3 })
  const slow = takeSlots(fast.pace, { ...none, now: 45, perSecond: 2, broadcast: 10 })
  assert.equal(slow.broadcast[0], fast.broadcast.at(-1)! + 520)
  const none2 = takeSlots(fast.pace, { ...none, now: 21, perSecond: null, broadcast: 1_000 })
  assert.equal(none2.broadcast.length, 1_000)
  assert.ok(none2.broadcast.every((at) => at <= 21))
})

test('a slot that passed unused is given again if none was taken after it', () => {
  const first = takeSlots(NEW_PACE, { ...none, now: 0, perSecond: 1, broadcast: 1 })
  const again = takeSlots(first.pace, { ...none, now: 30, perSecond: 1, broadcast: 2, unused: [0.001] })
  assert.deepEqual(again.broadcast, [30])
  assert.ok(Math.abs(again.nextAt - 1_070) < 0.01)
  const busy = takeSlots(first.pace, { ...none, now: 600, perSecond: 1, broadcast: 1 })
  const later = takeSlots(busy.pace, { ...none, now: 1_600, perSecond: 1, broadcast: 1, unused: [0] })
  assert.deepEqual(later.broadcast, [2_080])
})

test('a clock that is set back stops nothing for longer than slots are given ahead', () => {
  const before = takeSlots(NEW_PACE, { ...none, now: 3_600_000, perSecond: 10, broadcast: 100 })
  const after = takeSlots(before.pace, { ...none, now: 0, perSecond: 10, broadcast: 100 })
  assert.equal(after.broadcast[0], 0)
})

/** A busy integration before it is slowed down: 20 messages a second, whatever its limit. */
function busyAt20(perSecond: number | null): { pace: Pace; now: number } {
  let pace: Pace = NEW_PACE
  let now = 0
  for (; now < 10_000; now += 100) pace = takeSlots(pace, { ...none, now, perSecond, broadcast: 2 }).pace
  return { pace, now }
}

test('the first "too fast" lowers at once what is offered, with and without a limit, and a minute later it is forgotten', () => {
  for (const perSecond of [null, 100, 20]) {
    const { pace, now } = busyAt20(perSecond)
    const slowed = noteRefusals(pace, [now], now)
    const start = rateAt(slowed, perSecond, now)!
    assert.ok(start > 16 && start < 18.5, `${start} of 20/s at a limit of ${perSecond}`)
    assert.ok(takeSlots(slowed, { ...none, now, perSecond, broadcast: 100 }).broadcast.length <= 10)
    assert.equal(rateAt(slowed, perSecond, now + 60_000), perSecond)
    assert.equal(rateAt(slowed, perSecond, now - 3_600_000), perSecond, 'a clock that was set back')
  }
})

test('refusals of slots from before a change of the rate say nothing about it', () => {
  const { pace, now } = busyAt20(20)
  let slowed = noteRefusals(pace, [now], now)
  const { lastSlotAt } = slowed
  slowed = takeSlots(slowed, { ...none, now, perSecond: 20, broadcast: 100 }).pace
  for (let at = now; at < now + 5_000; at += 100) {
    slowed = noteRefusals(slowed, [lastSlotAt! - 1, lastSlotAt! - 1], at)
    assert.equal(slowed.refused, 0)
    slowed = takeSlots(slowed, { ...none, now: at, perSecond: 20, broadcast: 100 }).pace
  }
})
