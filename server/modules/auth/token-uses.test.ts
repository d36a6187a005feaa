import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTokenUses } from './token-uses.ts'

test('a use that could not be written is written the next time, though its token is used no more', async () => {
  const { promise: failed, resolve } = Promise.withResolvers<void>()
  const written: string[] = []
  let isAway = true
  const uses = createTokenUses(async (given) => {
    if (!isAway) return void written.push(...given.map(({ id }) => id))
    isAway = false
    resolve()
    throw new Error('the database is away')
  })
  uses.note({ workspaceId: '1', id: '7' })
  await failed
  await uses.stop()
  assert.deepEqual(written, ['7'])
})
