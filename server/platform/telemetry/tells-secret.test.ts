import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellsSecret } from './tells-secret.ts'

test('a secret is found as it is and in base64 behind and before whatever it was encoded with', () => {
  const secret = 'canary-p4ssword'
  for (let before = 0; before < 7; before += 1) {
    for (let after = 0; after < 4; after += 1) {
      const encoded = Buffer.from(`${'u'.repeat(before)}${secret}${'\u0001'.repeat(after)}`).toString('base64')
      assert.ok(tellsSecret(`535 5.7.8 ${encoded}: no`, secret), `${before} ${after}`)
    }
  }
  assert.ok(tellsSecret(`535 ${secret} is wrong`, secret))
  assert.ok(!tellsSecret('535 5.7.8 Y2FuYXJ5LW90aGVy: no', secret))
  assert.ok(!tellsSecret('535 ab is short', 'ab'))
})
