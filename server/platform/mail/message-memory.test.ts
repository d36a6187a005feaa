import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMessageMemory } from './message-memory.ts'

test('what is given back is used again, by a message of about its size', () => {
  const memory = createMessageMemory()
  const first = memory.take(20_000)
  memory.giveBack(first)
  const second = memory.take(30_000)
  assert.equal(second.buffer, first.buffer)
  assert.equal(second.length, 30_000)
  memory.giveBack(second)
  assert.notEqual(memory.take(40_000).buffer, first.buffer)
  assert.notEqual(memory.take(1_000).buffer, first.buffer)
  assert.equal(memory.take(32_768).buffer, first.buffer)
})

test('no two messages have the same memory, also when one is given back twice', () => {
  const memory = createMessageMemory()
  const taken = memory.take(10_000)
  const again = taken.subarray(0)
  memory.giveBack(taken)
  memory.giveBack(taken)
  memory.giveBack(again)
  assert.notEqual(memory.take(10_000).buffer, memory.take(10_000).buffer)
  memory.giveBack(Buffer.alloc(16_384))
})

test('a message beyond the largest size has memory of its own, and little is kept', () => {
  const memory = createMessageMemory()
  const large = memory.take(3_000_000)
  memory.giveBack(large)
  assert.notEqual(memory.take(3_000_000).buffer, large.buffer)
  const many = Array.from({ length: 20 }, () => memory.take(1_000_000))
  for (const one of many) memory.giveBack(one)
  const buffers = new Set(many.map(({ buffer }) => buffer))
  const again = Array.from({ length: 20 }, () => memory.take(1_000_000))
  assert.equal(again.filter(({ buffer }) => buffers.has(buffer)).length, 8)
})
