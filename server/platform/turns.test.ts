import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Problem } from './problem.ts'
import { createTurns, type TurnLimits } from './turns.ts'

const LIMITS = { atOnceMax: 3, atOnceOfOneMax: 2, waitingMax: 4, retryAfterSeconds: 7 }

/** Work that is under way until it is told to end; `begun` and `refused` are in the order in which that happened. */
function playing(limits: Partial<TurnLimits> = {}) {
  const turns = createTurns({ ...LIMITS, ...limits })
  const ends = new Map<string, () => void>()
  const begun: string[] = []
  const refused: string[] = []
  return {
    begun,
    refused,
    async ask(name: string, gone?: AbortSignal) {
      const [owner = ''] = name
      turns(owner, () => new Promise<void>((end) => begun.push(name) && ends.set(name, end)), gone).catch(
        ({ code, headers }: Problem) => refused.push(`${name} ${code} ${headers['retry-after']}`),
      )
      await setImmediate()
    },
    async end(name: string) {
      ends.get(name)!()
      await setImmediate()
    },
  }
}

async function asked(limits: Partial<TurnLimits>, names: string) {
  const play = playing(limits)
  for (const name of names.split(' ')) await play.ask(name)
  return play
}

test('an owner with much to do has its share of the turns, and another one begins at once', async () => {
  const play = await asked({}, 'a1 a2 a3 a4 b1 b2')
  assert.deepEqual(play.begun, ['a1', 'a2', 'b1'])
  await play.end('a1')
  assert.deepEqual(play.begun.slice(3), ['a3'], 'both have one, and its last turn is longest ago')
  await play.end('b1')
  assert.deepEqual(play.begun.slice(4), ['b2'], 'it has none')
  await play.end('a2')
  assert.deepEqual(play.begun.slice(5), ['a4'])
})

test('a place that is free goes to whoever has none, and among those to each in turn', async () => {
  const play = await asked({ atOnceMax: 1, atOnceOfOneMax: 1, waitingMax: 9 }, 'a1 a2 a3 a4 b1 b2 c1')
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
    assert.equal(play.begun.at(-1), name)
    await play.end(name)
  }
  assert.deepEqual(play.begun.at(-1), 'a4')
})

test('who comes when all wait takes the place of the last of the owner with most, and is refused as that owner', async () => {
  const play = await asked({}, 'a1 a2 a3 a4 a5 a6 b1')
  await play.ask('a7')
  assert.deepEqual(play.refused, ['a7 overloaded 7'])
  for (const name of ['b2', 'b3', 'b4']) await play.ask(name)
  assert.deepEqual(play.refused.slice(1), ['a6 overloaded 7', 'a5 overloaded 7', 'b4 overloaded 7'])
})

test('what nobody waits for any more leaves its place to wait, and is not begun', async () => {
  const gone = new AbortController()
  const play = await asked({}, 'a1 a2 a3')
  await play.ask('a4', gone.signal)
  gone.abort()
  await setImmediate()
  assert.deepEqual(play.refused, ['a4 overloaded 7'])
  await play.ask('a5', gone.signal)
  assert.deepEqual(play.refused.slice(1), ['a5 overloaded 7'], 'it comes too late')
  for (const name of ['a6', 'a7', 'a8']) await play.ask(name)
  assert.equal(play.refused.length, 2, 'there is a place to wait again')
  for (const name of ['a1', 'a2', 'a3', 'a6', 'a7', 'a8']) await play.end(name)
  assert.deepEqual(play.begun, ['a1', 'a2', 'a3', 'a6', 'a7', 'a8'])
})

test('what is under way when nobody waits for it any more ends as soon as it gives up, as one that is refused', async () => {
  const turns = createTurns({ atOnceMax: 1, waitingMax: 0, retryAfterSeconds: 1 })
  const gone = new AbortController()
  const untilGone = () =>
    new Promise((_, reject) => gone.signal.addEventListener('abort', () => reject(gone.signal.reason)))
  const refused = assert.rejects(turns('a', untilGone, gone.signal), { statusCode: 503, code: 'overloaded' })
  await setImmediate()
  gone.abort()
  await refused
  assert.equal(await turns('a', async () => 'served'), 'served')
})

test('a turn that fails gives its place back', async () => {
  const turns = createTurns({ atOnceMax: 1, waitingMax: 0, retryAfterSeconds: 1 })
  for (let n = 0; n < 3; n++)
    await assert.rejects(
      turns('a', () => Promise.reject(new Error('it failed'))),
      /it failed/,
    )
  assert.equal(await turns('a', async () => 'served'), 'served')
})
