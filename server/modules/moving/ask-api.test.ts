import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { ANSWER_STRUCTURE_BYTES_MAX, apiOf } from './ask-api.ts'
import { MovingError } from './moved.ts'

const ask = (body: string) => {
  const way = { get: async () => ({ status: 200, body, waitMs: null }), pause: async () => {} }
  return apiOf({ name: 'listmonk', base: 'https://list.example.com', headers: {}, way })('api/lists', Type.Unknown())
}

test('an answer that is all structure is refused unread, and one of long texts is read', async () => {
  const empty = '{},'.repeat(ANSWER_STRUCTURE_BYTES_MAX / 3)
  await assert.rejects(
    ask(`[${empty}{}]`),
    (error) => error instanceof MovingError && /more than a page/.test(error.message),
  )
  const mail = 'x'.repeat(2 * ANSWER_STRUCTURE_BYTES_MAX)
  assert.deepEqual(await ask(JSON.stringify([{ mail }])), [{ mail }])
})
