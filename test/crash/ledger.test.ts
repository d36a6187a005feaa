import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BatchFate, judge, Ledger, NO_FAULTS, type Stored, type Verdict } from './ledger.ts'

/** A batch of two events, as its sender, the database and the receiver know it. */
type Told = {
  fate: BatchFate
  hooked?: boolean
  rows?: number
  items?: number
  came?: readonly (readonly [string, string])[]
}

function verdictOf(told: Told, stored: Stored = new Map()): Partial<Verdict> {
  const { fate, hooked = false, rows = 0, items = rows, came = [] } = told
  const ledger = new Ledger()
  ledger.attempt(2, hooked).fate = fate
  for (const [event, webhookId] of came) ledger.deliver(event, webhookId)
  const all: Stored = rows > 0 ? new Map([...stored, [0, { rows, items }]]) : stored
  const { recovered, ...verdict } = judge(ledger, all)
  const faults = Object.entries(verdict).filter(([, count]) => count !== 0)
  assert.ok(recovered === 0 || fate === 'unknown')
  return Object.fromEntries(faults)
}

const BOTH: readonly (readonly [string, string])[] = [
  ['0/0', 'a'],
  ['0/1', 'b'],
]

test('what went as it should is no fault', () => {
  assert.deepEqual(verdictOf({ fate: 'acknowledged', rows: 2 }), {})
  assert.deepEqual(verdictOf({ fate: 'acknowledged', hooked: true, rows: 2, came: BOTH }), {})
  assert.deepEqual(verdictOf({ fate: 'unknown' }), {})
  assert.deepEqual(verdictOf({ fate: 'unknown', rows: 2 }), {})
  assert.ok(Object.values(NO_FAULTS).every((count) => count === 0))
})

test('each fault is counted as what it is', () => {
  assert.deepEqual(verdictOf({ fate: 'acknowledged' }), { lost: 2 })
  assert.deepEqual(verdictOf({ fate: 'acknowledged', rows: 3, items: 2 }), { doubled: 1 })
  assert.deepEqual(verdictOf({ fate: 'unknown', rows: 1 }), { torn: 1 })
  assert.deepEqual(verdictOf({ fate: 'refused' }), { refused: 2 })
  assert.deepEqual(verdictOf({ fate: 'refused', rows: 2 }), { refused: 2, unexpected: 2 })
  assert.deepEqual(verdictOf({ fate: 'unknown' }, new Map([[7, { rows: 1, items: 1 }]])), { unexpected: 1 })
  assert.deepEqual(verdictOf({ fate: 'acknowledged', hooked: true, rows: 2, came: [['0/0', 'a']] }), { undelivered: 1 })
})

test('what came to the receiver is there, was for it, and came under one id', () => {
  assert.deepEqual(verdictOf({ fate: 'unknown', hooked: true, came: [['0/0', 'a']] }), { phantoms: 1 })
  assert.deepEqual(verdictOf({ fate: 'acknowledged', rows: 2, came: [['0/0', 'a']] }), { phantoms: 1 })
  assert.deepEqual(verdictOf({ fate: 'unknown', came: [['9/0', 'a']] }), { phantoms: 1 })
  const twice = { fate: 'acknowledged', hooked: true, rows: 2, came: [...BOTH, ['0/1', 'c']] } as const
  assert.deepEqual(verdictOf(twice), { twoIds: 1 })
})
