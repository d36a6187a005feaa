import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAKE_WAITS_LONG } from '../../../test/support/long-waits.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { countAttempt } from './limit-attempts.ts'

const { pool } = await testWorkspace()
await pool.query(MAKE_WAITS_LONG)

test('attempts of one moment are all free, whichever of them is counted first', async () => {
  for (let n = 0; n < 100; n++) {
    const attempt = { what: 'code', account: `account-${n}`, ip: `192.0.2.${n}` } as const
    await Promise.all(Array.from({ length: 5 }, () => countAttempt(pool, attempt)))
    await assert.rejects(async () => {
      for (let more = 0; more < 3; more++) await countAttempt(pool, attempt)
    }, /wait|too many/i)
  }
})
