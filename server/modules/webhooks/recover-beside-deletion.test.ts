import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { testSecrets } from '../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { API_DOOR } from '../door.ts'
import { createEndpoint } from './manage-endpoints.ts'
import { webhookRoutes } from './routes.ts'

/** Of one connection, which is given to whoever has waited for it the longest: a deletion comes between two transactions of another request. */
const { pool, caller } = await testWorkspace({ connections: 1 })
await migrateJobs(pool, ['default', 'webhooks'])
const deps = {
  sql: pool,
  secrets: testSecrets(),
  judgeUrl: async () => ({ outcome: 'allowed' }) as never,
  endpointsMax: 10,
}
const app = quietServer({ trustProxy: true, https: true })
app.addHook('onRequest', async (request) => {
  request.caller = caller
})
let begun = 0
app.addHook('preHandler', async () => {
  begun += 1
})
webhookRoutes(app, deps, API_DOOR)
await app.ready()
after(() => app.close())

test('a recovery that was accepted is answered as accepted, also when the endpoint is deleted right behind it', async () => {
  const { id } = await createEndpoint(deps, caller, { url: 'https://shop.example/hooks' })
  const payload = { since: new Date(Date.now() - 60_000).toISOString() }
  const only = await pool.connect()
  const recovery = app.inject({ method: 'POST', url: `/api/webhooks/${id}/recover`, payload })
  await eventually('the recovery waits for the connection', () => begun === 1)
  const deletion = app.inject({ method: 'DELETE', url: `/api/webhooks/${id}` })
  await eventually('the deletion waits behind it', () => begun === 2)
  only.release()
  const [recovered, deleted] = await Promise.all([recovery, deletion])
  assert.deepEqual([recovered.statusCode, deleted.statusCode], [202, 204], recovered.body)
  assert.equal(recovered.json().id, id)
})
