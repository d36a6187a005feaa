import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../../test/support/seeded-random.ts'
import {
  type Provider,
  rateBetween,
  type Simulation,
  simulateSending,
} from '../../../test/support/simulated-sending.ts'
import { beginSlowdown, judgePeriod } from './slowdown.ts'

/*
 * One seed unless another is given: the bounds below are those of nearly all seeds (of twenty tried one passed a bound by a
 * hundredth), and a change of another file must not decide by a throw of dice.
 */
const seed = Number(process.env.SLOWDOWN_SEED ?? 1)
console.log(`SLOWDOWN_SEED=${seed}`)
const random = seededRandom(seed)

/** Takes so many in each stretch of time, and refuses the rest of it. */
function inEach(ms: number, count: number): Provider {
  let [stretch, taken] = [-1, 0]
  return (now) => {
    if (Math.floor(now / ms) !== stretch) taken = 0
    stretch = Math.floor(now / ms)
    taken += 1
    return taken <= count
  }
}

/** Takes so many a second, and a tenth of a second's worth at once. */
function bucket(perSecond: number): Provider {
  let [tokens, filledAt] = [perSecond / 10, 0]
  return (now) => {
    tokens = Math.min(Math.max(1, perSecond / 10), tokens + ((now - filledAt) / 1_000) * perSecond)
    filledAt = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

function everyNth(n: number): Provider {
  let count = 0
  return () => ++count % n !== 0
}

const sail = (of: Pick<Simulation, 'perSecond' | 'provider'> & Partial<Simulation>) =>
  simulateSending({ seconds: 180, seed, ...of })

const LEAST_USED = 0.7
/** Of each kind of sender that stands still, so many runs. */
const STALLED_RUNS = 25
/** An odd number, for the one in the middle. */
const VOYAGES = 9
/** Of what is offered once it has settled, where the provider's answers follow the rate. */
const REFUSED_MOST = 0.2

test('the rate settles near what a provider takes, and seldom goes beyond it', () => {
  for (const [name, takes, of] of [
    ['20 of 30, in each second', 20, { perSecond: 30, provider: inEach(1_000, 20) }],
    ['33 of 50, in each second', 33, { perSecond: 50, provider: inEach(1_000, 33) }],
    ['33 of 50, by a bucket', 33, { perSecond: 50, provider: bucket(33) }],
    ['33 of 50, answered after 4 s', 33, { perSecond: 50, provider: inEach(1_000, 33), answerMs: 4_000 }],
    ['10 of 200', 10, { perSecond: 200, provider: inEach(1_000, 10) }],
    ['100 of 1,000', 100, { perSecond: 1_000, provider: bucket(100) }],
    ['2 of 14', 2, { perSecond: 14, provider: inEach(1_000, 2) }],
    ['20, without a limit of ours', 20, { perSecond: null, provider: inEach(1_000, 20) }],
  ] as const) {
    const { offered, taken } = sail(of)
    const [tried, had] = [rateBetween(offered, 30, 180), rateBetween(taken, 30, 180)]
    const facts = `${name}: ${tried.toFixed(1)} offered a second, ${had.toFixed(1)} taken`
    console.log(facts)
    assert.ok(had >= LEAST_USED * takes, facts)
    assert.ok(had >= (1 - REFUSED_MOST) * tried, facts)
  }
})

test('a limit of the provider that is not by the second is used as well', () => {
  const { taken } = sail({ perSecond: 50, provider: inEach(60_000, 600), seconds: 300 })
  const had = rateBetween(taken, 60, 300)
  assert.ok(had >= LEAST_USED * 10, `${had} of 10/s`)
})

test('refusals that do not follow the rate do not wear it down', () => {
  for (const [name, part, of] of [
    ['every third of 30', 1 / 3, { perSecond: 30, provider: everyNth(3) }],
    ['every third of 3', 1 / 3, { perSecond: 3, provider: everyNth(3) }],
    ['every third of 50, answered after 3 s', 1 / 3, { perSecond: 50, provider: everyNth(3), answerMs: 3_000 }],
    ['3 of 10, by chance', 0.3, { perSecond: 50, provider: () => random() >= 0.3 }],
    ['1 of 10, by chance', 0.1, { perSecond: 50, provider: () => random() >= 0.1 }],
    ['3 of 100, by chance', 0.03, { perSecond: 50, provider: () => random() >= 0.03 }],
    ['1 of 5, by chance', 0.2, { perSecond: 50, provider: () => random() >= 0.2 }],
    ['half, by chance', 0.5, { perSecond: 50, provider: () => random() >= 0.5 }],
  ] as const) {
    const { offered, taken } = sail({ ...of, seconds: 600 })
    const takes = of.perSecond * (1 - part)
    const [tried, had] = [rateBetween(offered, 10, 600), rateBetween(taken, 10, 600)]
    const facts = `${name}: ${tried.toFixed(1)} offered a second, ${had.toFixed(1)} of ${takes.toFixed(1)} taken`
    console.log(facts)
    assert.ok(had >= LEAST_USED * takes, facts)
    assert.ok(tried < of.perSecond, facts)
  }
})

test('a provider that refuses everything is left with a trickle, and within a minute of its change of mind has it all', () => {
  for (const perSecond of [14, 50, 1_000]) {
    const { offered } = sail({ perSecond, provider: (now) => now < 20_000 || now > 80_000 })
    const least = rateBetween(offered, 60, 80)
    assert.ok(least <= perSecond / 16, `${least}/s of ${perSecond}`)
    assert.ok(least > 0)
    const after = rateBetween(offered, 140, 180)
    assert.ok(after >= Math.min(perSecond, 300) * 0.9, `${after}/s of ${perSecond}`)
  }
})

test('a provider that takes less than before is followed, and one that takes more again as well', () => {
  const voyages = Array.from({ length: VOYAGES }, (_, n) => {
    let takes = inEach(1_000, 40)
    const changes = new Map([
      [60_000, inEach(1_000, 10)],
      [120_000, inEach(1_000, 30)],
    ])
    const provider: Provider = (now) => {
      for (const [at, next] of changes) {
        if (now >= at && changes.delete(at)) takes = next
      }
      return takes(now)
    }
    return sail({ perSecond: 50, provider, seed: seed + n })
  })
  for (const [from, to, rate] of [
    [20, 60, 40],
    [80, 120, 10],
    [140, 180, 30],
  ] as const) {
    const had = Math.min(...voyages.map(({ taken }) => rateBetween(taken, from, to)))
    assert.ok(had >= LEAST_USED * rate, `${had} of ${rate} taken from ${from} to ${to} s`)
    // One in fifty is unlucky with its looks upward, and tries half as much again.
    const tried = voyages.map(({ offered }) => rateBetween(offered, from, to)).sort((a, b) => a - b)
    const facts = `${tried.join(', ')} offered a second, of ${rate}, from ${from} to ${to} s`
    assert.ok(tried[VOYAGES >> 1]! <= rate * 1.25 && tried.at(-1)! <= rate * 2, facts)
  }
})

test('a sender that stands still now and then, of whom a third is refused, keeps its rate', () => {
  for (const [everyMs, forMs] of [
    [1_000, 1_000],
    [1_500, 2_000],
    [5_000, 5_000],
  ] as const) {
    const parts: number[] = []
    for (let run = 0; run < STALLED_RUNS; run++) {
      const of = { perSecond: 50, seconds: 120, seed: seed + run, still: { everyMs, forMs } }
      // The same sender, standing still at the same moments, when nobody says "too fast" to it.
      const free = rateBetween(simulateSending({ ...of, provider: () => true }).taken, 10, 120)
      const chance = seededRandom(seed + run)
      const had = rateBetween(simulateSending({ ...of, provider: () => chance() >= 1 / 3 }).taken, 10, 120)
      parts.push(had / ((free * 2) / 3))
    }
    parts.sort((a, b) => a - b)
    const facts = `still for up to ${forMs} ms every ${everyMs}: ${parts[0]!.toFixed(2)} at the least, of what is taken`
    console.log(facts)
    assert.ok(parts[0]! >= LEAST_USED, facts)
  }
})

test('a sender that stands still now and then goes to what a provider takes of it as well', () => {
  for (let run = 0; run < STALLED_RUNS; run++) {
    const of = { perSecond: 50, seed: seed + run, still: { everyMs: 1_500, forMs: 2_000 } }
    const awake = rateBetween(sail({ ...of, provider: () => true }).taken, 30, 180) / of.perSecond
    const { offered, taken } = sail({ ...of, provider: inEach(1_000, 15) })
    const [tried, had] = [rateBetween(offered, 30, 180), rateBetween(taken, 30, 180)]
    const facts = `run ${run}: ${tried} offered a second, ${had} taken, awake for ${awake} of the time`
    // A second in which it stood still takes a rate that the next refuses: the measure is coarser than a steady sender's.
    assert.ok(had >= LEAST_USED * 15 * awake && had >= 0.5 * tried, facts)
  }
})

test('a period that was hardly used says nothing until it has gone on for three', () => {
  const begun = beginSlowdown(50, 50, 0)
  const seen = { now: 5_900, offered: 21, refused: 7, ms: 5_900, answeredMs: 5_900 }
  assert.equal(judgePeriod(begun, seen), undefined)
  assert.equal(judgePeriod(begun, { ...seen, refused: 0 }), undefined)
  const lower = judgePeriod(begun, { ...seen, now: 6_000, ms: 6_000, answeredMs: 6_000 })!
  assert.ok(lower.rate < begun.rate, 'at a limit of the provider far below the rate nothing else would be seen')
  const again = judgePeriod(lower, {
    now: 9_000,
    offered: lower.rate * 2,
    refused: (lower.rate * 2) / 3,
    ms: 2_000,
    answeredMs: 2_000,
  })!
  assert.equal(again.rate, begun.rate, 'a third is refused at either rate')
})

test('a period that is too short, or saw too few messages, is not judged', () => {
  const slowdown = beginSlowdown(10, 20, 0)
  assert.equal(
    judgePeriod(slowdown, { now: 1_000, offered: 100, refused: 50, ms: 1_000, answeredMs: 1_000 }),
    undefined,
  )
  assert.equal(
    judgePeriod(beginSlowdown(3, 20, 0), { now: 3_000, offered: 9, refused: 5, ms: 3_000, answeredMs: 3_000 }),
    undefined,
  )
  assert.ok(judgePeriod(slowdown, { now: 10_000, offered: 9, refused: 5, ms: 10_000, answeredMs: 10_000 }))
  assert.ok(
    judgePeriod(slowdown, { now: 6_000, offered: 0, refused: 0, ms: 6_000, answeredMs: 6_000 })!.rate > slowdown.rate,
  )
})
