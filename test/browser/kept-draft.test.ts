import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restoredDraft, withUnanswered } from '../../dashboard/lib/kept-draft.ts'

const there = { value: { name: 'Carts', subject: 'Hello' }, etag: '"2"' }
const keptOn = (etag: string, change: object) => JSON.stringify({ etag, change })

test('a change that was kept on the state that is still there is restored', () => {
  assert.deepEqual(restoredDraft(keptOn('"2"', { subject: 'Mine' }), there), {
    change: { subject: 'Mine' },
    etag: '"2"',
    isConflict: false,
  })
})

test('a change that was kept on an older state is a conflict and does not take the tag of the newer one', () => {
  assert.deepEqual(restoredDraft(keptOn('"1"', { subject: 'Mine' }), there), {
    change: { subject: 'Mine' },
    etag: '"1"',
    isConflict: true,
  })
})

test('a change that has reached the server unseen is no conflict', () => {
  const nothing = { change: {}, etag: '"2"', isConflict: false }
  assert.deepEqual(restoredDraft(keptOn('"1"', { subject: 'Hello' }), there), nothing)
  for (const none of [null, '', 'null', '{}', '{"change":null}']) assert.deepEqual(restoredDraft(none, there), nothing)
})

test('a save that took effect unheard makes the newer state one’s own, and nobody else’s is', () => {
  const kept = (sent: object) =>
    JSON.stringify({ etag: '"1"', change: { subject: 'Hello you' }, unanswered: [{ subject: 'Hey' }, sent] })
  const mine = { change: { subject: 'Hello you' }, etag: '"2"', isConflict: false }
  assert.deepEqual(restoredDraft(kept({ subject: 'Hello' }), there), mine)
  assert.deepEqual(restoredDraft(kept({ subject: 'Hell' }), there), { ...mine, etag: '"1"', isConflict: true })
})

test('of saves without an answer the first and the last two are kept, each once', () => {
  let kept: readonly { body?: string }[] = []
  for (const body of ['a', 'a', 'b', 'c', 'c', 'd', 'a']) kept = withUnanswered(kept, { body })
  assert.deepEqual(kept, [{ body: 'a' }, { body: 'c' }, { body: 'd' }])
})
