import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { endHold, enterHold, type Hold, type HoldEntry, noteHold } from './holds.ts'
import type { Stream } from './lanes.ts'
import { HOLD_REASONS } from './message-states.ts'
import { openStream, setStreamState } from './streams.ts'

const { pool, workspaceId } = await testWorkspace()
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const SETTINGS = '2026-01-02T03:04:05.678901Z'

let broadcasts = 0
function newStream(): Promise<Stream> {
  broadcasts += 1
  return inTx((tx) => openStream(tx, workspaceId, { kind: 'broadcast', id: String(broadcasts) }))
}
const enter = (stream: Stream, settings = SETTINGS) => inTx((tx) => enterHold(tx, stream, settings))
const note = (stream: Stream, reason: Hold['reason'], isRetry = true) =>
  inTx((tx) => noteHold(tx, stream, { reason, tried: { settings: SETTINGS, isRetry } }))
const pauseEnds = ({ streamId }: Stream) =>
  inTx((tx) => tx.query('update send_streams set held_until = clock_timestamp() where id = $1', [streamId]))
const GOES: HoldEntry = { outcome: 'goes', isRetry: false }
const TRIES: HoldEntry = { outcome: 'goes', isRetry: true }

async function pauseOf(stream: Stream): Promise<number> {
  const entry = await enter(stream)
  assert(entry.outcome === 'waits')
  return Math.round(entry.leftMs / 1_000)
}

test('pauses of what only another try can end double up to their longest', async () => {
  for (const [reason, expected] of [
    ['server_unreachable', [15, 30, 60, 120, 120, 120]],
    ['credentials_refused', [60, 120, 240, 480, 900, 900]],
  ] as const) {
    const stream = await newStream()
    assert.deepEqual(await enter(stream), GOES)
    const pauses: number[] = []
    for (const _ of expected) {
      await note(stream, reason)
      pauses.push(await pauseOf(stream))
      await pauseEnds(stream)
      assert.deepEqual(await enter(stream), TRIES)
    }
    assert.deepEqual(pauses, expected)
  }
})

test('one of the lanes that come at the end of a pause tries, and another one where that says nothing', async () => {
  const stream = await newStream()
  await note(stream, 'server_unreachable')
  await pauseEnds(stream)
  const entries = await Promise.all(Array.from({ length: 6 }, () => enter(stream)))
  assert.equal(entries.filter(({ outcome }) => outcome === 'goes').length, 1)
  await pauseEnds(stream)
  assert.deepEqual(await enter(stream), TRIES)
})

test('turns that were under way when a hold began make no pause longer', async () => {
  const stream = await newStream()
  for (let n = 0; n < 4; n += 1) await note(stream, 'credentials_refused', false)
  assert.equal(await pauseOf(stream), 60)
})

test('other settings are tried at once, and from the shortest pause on', async () => {
  const stream = await newStream()
  for (let n = 0; n < 4; n += 1) await note(stream, 'credentials_refused')
  const changed = '2026-01-02T03:04:05.678902Z'
  assert.deepEqual(await enter(stream, changed), TRIES)
  assert.equal((await enter(stream, changed)).outcome, 'waits')
  await note(stream, 'credentials_refused')
  assert.equal(await pauseOf(stream), 60)
})

test('what ends a hold ends its pause: a reason of another kind, an answer, a person who resumes', async () => {
  const ends: ((tx: Transaction, stream: Stream) => Promise<void>)[] = [
    (tx, stream) => noteHold(tx, stream, { reason: 'unverified_domain' }),
    (tx, stream) => endHold(tx, stream, HOLD_REASONS),
    async (tx, stream) => {
      await setStreamState(tx, { ...stream, state: 'paused' })
      await setStreamState(tx, { ...stream, state: 'open' })
    },
  ]
  for (const end of ends) {
    const stream = await newStream()
    await note(stream, 'server_unreachable')
    await note(stream, 'server_unreachable')
    await inTx((tx) => end(tx, stream))
    assert.deepEqual(await enter(stream), GOES)
    await note(stream, 'server_unreachable')
    assert.equal(await pauseOf(stream), 15)
  }
})
