import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakConversations } from '../fuzz/wire.ts'
import { seedFrom } from '../support/seeded-random.ts'

/** `POSTROOM_FILE_MINUTES=30 FUZZ_CONVERSATIONS=50000` before the command has more of them. */
const CONVERSATIONS = 800

test('whoever breaks off a conversation at whatever byte ends nothing, keeps nothing and brings about no error', async (t) => {
  const seed = seedFrom('FUZZ_SEED')
  t.diagnostic(`seed ${seed} (FUZZ_SEED)`)
  const conversations = Number(process.env.FUZZ_CONVERSATIONS ?? CONVERSATIONS)
  const result = await breakConversations({ seed, conversations })
  t.diagnostic(
    [...result.answers]
      .sort()
      .map((pair) => pair.join(': '))
      .join(', '),
  )
  for (const fault of result.faults) t.diagnostic(fault)
  assert.equal(result.faults.length, 0, 'each fault is told above')
  assert.equal(result.conversations, conversations)
})
