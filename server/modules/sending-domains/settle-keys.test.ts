import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { RECORD_STATES, type RecordState } from './judgement.ts'
import { type KeyState, settleKeys } from './settle-keys.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const PAST = '2026-11-21T11:00:00Z'
const FUTURE = '2026-11-22T00:00:00Z'

const key = (id: string, role: KeyState['role'], verified: boolean, retiresAt: string | null = null): KeyState => ({
  id,
  role,
  verified,
  retiresAt,
})
const settle = (keys: KeyState[], found: Record<string, RecordState>) =>
  settleKeys(keys, new Map(Object.entries(found)), NOW).map(({ id, role, verified, retires }) =>
    [id, role, verified ? 'verified' : 'unverified', retires ? 'retires' : ''].join(' ').trim(),
  )

test('a definite answer decides, an unknown one changes nothing', () => {
  for (const verified of [false, true]) {
    const current = key('1', 'current', verified)
    assert.deepEqual(settle([current], { 1: 'ok' }), ['1 current verified'])
    assert.deepEqual(settle([current], { 1: 'wrong' }), ['1 current unverified'])
    assert.deepEqual(settle([current], { 1: 'missing' }), ['1 current unverified'])
    assert.deepEqual(settle([current], { 1: 'unknown' }), [`1 current ${verified ? 'verified' : 'unverified'}`])
    assert.deepEqual(settle([current], {}), settle([current], { 1: 'unknown' }))
  }
})

test('the next key takes over only once it is verified, and the one before retires', () => {
  const keys = [key('1', 'current', true), key('2', 'next', false)]
  assert.deepEqual(settle(keys, { 1: 'ok', 2: 'missing' }), ['1 current verified', '2 next unverified'])
  assert.deepEqual(settle(keys, { 1: 'ok', 2: 'ok' }), ['1 retiring verified retires', '2 current verified'])
  assert.deepEqual(settle(keys, { 1: 'missing', 2: 'ok' }), ['1 retiring unverified retires', '2 current verified'])
  const never = [key('1', 'current', false), key('2', 'next', false)]
  assert.deepEqual(settle(never, { 1: 'missing', 2: 'ok' }), ['1 gone unverified retires', '2 current verified'])
})

test('a key that retires keeps its time until its successor is verified, then has the overlap, then goes', () => {
  const waiting = [key('2', 'current', false), key('1', 'retiring', true)]
  assert.deepEqual(settle(waiting, { 1: 'ok', 2: 'missing' }), ['2 current unverified', '1 retiring verified'])
  assert.deepEqual(settle(waiting, { 1: 'ok', 2: 'ok' }), ['2 current verified', '1 retiring verified retires'])
  const over = (at: string) => settle([key('2', 'current', true), key('1', 'retiring', true, at)], { 1: 'ok', 2: 'ok' })
  assert.deepEqual(over(FUTURE), ['2 current verified', '1 retiring verified'])
  assert.deepEqual(over(PAST), ['2 current verified', '1 gone verified'])
})

test('whatever the answers, one key stays current, and none that may sign is lost before its time', () => {
  const seed = seedFrom('KEYS_SEED')
  console.log(`seed ${seed}`)
  const random = seededRandom(seed)
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]!
  for (let round = 0; round < 5_000; round += 1) {
    const keys = [key('1', 'current', random() < 0.5)]
    if (random() < 0.5) keys.push(key('2', 'next', false))
    if (random() < 0.5) keys.push(key('3', 'retiring', random() < 0.5, pick([null, PAST, FUTURE])))
    const found = new Map(keys.map(({ id }) => [id, pick(RECORD_STATES)]))
    const settled = settleKeys(keys, found, NOW)
    assert.equal(settled.filter(({ role }) => role === 'current').length, 1)
    assert.ok(settled.filter(({ role }) => role === 'next').length <= 1)
    const couldSign = keys.some((one) => one.role !== 'next' && one.verified && one.retiresAt !== PAST)
    const isAnswered = [...found.values()].some((state) => state === 'missing' || state === 'wrong')
    const canSign = settled.some((one) => one.verified && (one.role === 'current' || one.role === 'retiring'))
    if (couldSign && !isAnswered) assert.ok(canSign, JSON.stringify({ keys, found: [...found] }))
  }
})
