import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'

/*
 * Hundreds of test files start in a run: packages that none of them uses cost it minutes of a processor. Imports stand in the tests, so
 * that the hook sees them.
 */

const loaded = new Set<string>()
registerHooks({
  load(url, context, nextLoad) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1]
    if (name !== undefined) loaded.add(name)
    return nextLoad(url, context)
  },
})

test('a test file that only wants a database loads no job queue', async () => {
  await import('../support/postgres.ts')
  assert.ok(loaded.has('pg'))
  assert.ok(!loaded.has('pg-boss'))
})
