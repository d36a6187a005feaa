import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Proof } from '../../../catalogue/proofs.ts'
import type { PageContact, SimulationPlan } from './simulation-plan.ts'
import { walkPeople } from './walk-people.ts'

const BEGIN = Date.parse('2026-11-01T00:00:00Z') * 1_000
const HOUR = 3_600_000_000

const person: PageContact = {
  ...{ id: '1', zone: null, hasEmail: true, createdAt: BEGIN, updatedAt: BEGIN, columns: {}, custom: {}, tagIds: [] },
  ...{ topics: [], suppressed: null, unsubscribed: [], consentAt: null, events: [], others: [] },
}
const CART = 'cart.left'

function walked(draft: object, proofs: readonly (Proof | null)[], { everyMicros = HOUR } = {}) {
  const events = proofs.map((proof, n): PageContact['events'][number] => {
    const at = BEGIN + HOUR + n * everyMicros
    return [String(n + 1), at, at, CART, null, proof]
  })
  const plan: SimulationPlan = {
    ...{ automationId: '1', from: BEGIN, until: BEGIN + 100 * HOUR, draft: JSON.stringify(draft), live: null },
    facts: { fields: new Map(), tagIds: new Map(), segments: new Map() },
    ...{ doubleOptIn: false, restraints: { quietHours: null, frequencyCap: null }, clickShares: {} },
  }
  return walkPeople(plan, { people: 1, contacts: JSON.stringify([{ ...person, events }]) }).draft
}

test('an event of a browser brings somebody in by a replay only where it is proven as the trigger asks', () => {
  const entered = (proof: Proof | null, minProof?: Proof) => {
    const on = [{ event: CART, ...(minProof && { minProof }) }]
    const draft = { format: 1, enter: { on, again: { mode: 'every' } }, start: 'end', nodes: {} }
    const { entered: n, refused } = walked(draft, [proof])
    assert.deepEqual(refused, n === 1 ? {} : { filter: 1 })
    return n
  }
  assert.deepEqual(
    [entered(null), entered('confirmed'), entered('link'), entered('claimed')],
    [1, 1, 0, 0],
    'confirmed, unless something else is asked for',
  )
  assert.deepEqual([entered('claimed', 'claimed'), entered('confirmed', 'signed')], [1, 0])
})

test('a replay counts the events that are proven as a rule asks', () => {
  const rule = { field: `event:${CART}`, operator: 'performed', value: { atLeast: 2, minProof: 'confirmed' } }
  const draft = {
    format: 1,
    enter: { on: [{ event: CART, minProof: 'claimed' }], again: { mode: 'once' } },
    start: 'd1',
    nodes: {
      d1: { type: 'delay', days: 1, to: 'b1' },
      b1: { type: 'branch', ways: [{ if: { rules: [rule] }, to: 'end' }], else: 'end' },
    },
  }
  const way = (...proofs: (Proof | null)[]) => Object.keys(walked(draft, proofs).endedAt.b1 ?? {})
  assert.deepEqual(way('claimed', 'claimed', 'confirmed'), ['else'])
  assert.deepEqual(way('claimed', null, 'confirmed'), ['0'])
})

test('a rule of a replay knows all events of its moment, as those of one request are recorded', () => {
  const rule = { field: `event:${CART}`, operator: 'performed', value: { atLeast: 2 } }
  const draft = {
    format: 1,
    enter: { on: [{ event: CART }], again: { mode: 'once' } },
    start: 'b1',
    nodes: { b1: { type: 'branch', ways: [{ if: { rules: [rule] }, to: 'end' }], else: 'end' } },
  }
  assert.deepEqual(walked(draft, [null, null], { everyMicros: 0 }).endedAt.b1, { 0: 1 })
  assert.deepEqual(walked(draft, [null, null]).endedAt.b1, { else: 1 })
})
