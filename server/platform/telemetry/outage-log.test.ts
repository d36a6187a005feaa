import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createHandClock } from '../../../test/support/hand-clock.ts'
import { OutageLog } from './outage-log.ts'

const AWAY = Object.assign(new Error('terminating connection'), { code: '57P01' })
const FULL = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })

function told(ask: () => Promise<unknown> = async () => undefined) {
  const lines: unknown[] = []
  const line = (level: string) => (fields: object, message: string) => void lines.push([level, message, fields])
  const clock = createHandClock()
  const log = { warn: line('warn'), info: line('info') } as unknown as ConstructorParameters<typeof OutageLog>[0]
  return { lines, clock, outages: new OutageLog(log, { ask, clock }) }
}

test('an outage is told of once, then counted, and its end is said at info, without a stack', async () => {
  const { lines, clock, outages } = told()
  for (let n = 0; n < 1_000; n++) assert.equal(outages.took(AWAY, 'requests'), true)
  const first = ['warn', 'the database does not answer, or not in time', { whose: 'requests', reason: AWAY.message }]
  assert.deepEqual(lines, [first])
  clock.advance(5_000)
  for (let n = 0; n < 20; n++) outages.took(FULL, 'consumer groups')
  clock.advance(5_000)
  const failures = { requests: 999, 'consumer groups': 20 }
  const still = ['warn', 'the database still fails', { failures, lastsMs: 10_000, reason: FULL.message }]
  assert.deepEqual(lines.splice(0), [first, still])
  clock.advance(10_000)
  await turn()
  assert.deepEqual(lines.splice(0), [['info', 'the database answers again', { failures: 1_020, lastedMs: 5_000 }]])
  outages.took(AWAY, 'requests')
  assert.equal(lines.length, 1, 'the next one is another')
})

test('a moment in which many fail is over when it is told of next, and the next one is counted by itself', async () => {
  const { lines, clock, outages } = told()
  const moment = async () => {
    for (let n = 0; n < 8; n++) outages.took(AWAY, 'job queue')
    clock.advance(10_000)
    await turn()
    return lines.splice(0).map((line) => (line as unknown[]).slice(1))
  }
  const first = ['the database does not answer, or not in time', { whose: 'job queue', reason: AWAY.message }]
  const over = ['the database answers again', { failures: 8, lastedMs: 0 }]
  assert.deepEqual(await moment(), [first, over])
  assert.deepEqual(await moment(), [first, over])
  clock.advance(60_000)
  assert.deepEqual(lines, [])
})

test('a failure that is not the database’s is not taken', () => {
  const { lines, outages } = told()
  assert.equal(outages.took(new Error('a bug'), 'requests'), false)
  assert.deepEqual(lines, [])
})

test('an outage that nobody meets any more is over when the database says so, and not before', async () => {
  let answers = async (): Promise<unknown> => Promise.reject(AWAY)
  const { lines, clock, outages } = told(() => answers())
  const seconds = async (n: number) => {
    clock.advance(n * 1_000)
    await turn()
    return lines.splice(0).map((line) => (line as unknown[]).slice(1))
  }
  outages.took(AWAY, 'job queue')
  lines.splice(0)
  const still = (lastsMs: number) => [
    ['the database still fails', { failures: { 'the look whether it answers': 1 }, lastsMs, reason: AWAY.message }],
  ]
  assert.deepEqual(await seconds(10), still(10_000))
  assert.deepEqual(await seconds(10), still(20_000))
  answers = async () => Promise.reject(FULL)
  assert.match(JSON.stringify(await seconds(10)), /still fails.*No space left/)
  answers = async () => undefined
  assert.deepEqual(await seconds(10), [['the database answers again', { failures: 4, lastedMs: 30_000 }]])
})

test('a process that has closed its pools says nothing more of an outage', async () => {
  const { lines, clock, outages } = told(async () => {
    throw new Error('Cannot use a pool after calling end on the pool')
  })
  outages.took(AWAY, 'job queue')
  lines.splice(0)
  clock.advance(60_000)
  await turn()
  assert.deepEqual(lines, [])
})
