import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { API_DOOR } from '../door.ts'
import { declareField } from './manage-fields.ts'
import { customFieldRoutes } from './routes.ts'

/** Of one connection, which is given to whoever has waited for it the longest: a deletion comes between two transactions of another request. */
const { pool, caller } = await testWorkspace({ connections: 1 })
const deps = {
  sql: pool,
  enqueueRewrite: async () => undefined,
  onKeyChange: async () => undefined,
  usedBy: async () => [],
}
const app = quietServer({ trustProxy: true, https: true })
app.addHook('onRequest', async (request) => {
  request.caller = caller
})
let begun = 0
app.addHook('preHandler', async () => {
  begun += 1
})
customFieldRoutes(app, deps, API_DOOR)
await app.ready()
after(() => app.close())

test('a retype that was accepted is answered as accepted, also when the field is deleted right behind it', async () => {
  const { id } = await declareField(deps, caller, { key: 'plan', type: 'string' })
  const only = await pool.connect()
  const retype = app.inject({ method: 'POST', url: `/api/custom-fields/${id}/retype`, payload: { type: 'number' } })
  await eventually('the retype waits for the connection', () => begun === 1)
  const deletion = app.inject({ method: 'DELETE', url: `/api/custom-fields/${id}` })
  await eventually('the deletion waits behind it', () => begun === 2)
  only.release()
  const [retyped, deleted] = await Promise.all([retype, deletion])
  assert.deepEqual([retyped.statusCode, deleted.statusCode], [202, 204], retyped.body)
  assert.equal(retyped.json().type, 'number')
})
