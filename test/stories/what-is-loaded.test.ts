import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'

/*
 * Hundreds of services and test files start in a run: packages that none of them uses cost it minutes of a processor. Imports stand in
 * the tests, so that the hook sees them; the second begins where the first has ended.
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

test('a service that listens for no mail loads no mail server, and no validators but its own', async () => {
  await import('../../server/start-alone.ts')
  const { quietServer } = await import('../support/quiet-server.ts')
  const app = quietServer({ trustProxy: false, https: false })
  await app.ready()
  await app.close()
  assert.ok(loaded.has('fastify'))
  assert.deepEqual(
    ['smtp-server', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'].filter((name) =>
      loaded.has(name),
    ),
    [],
  )
})
