import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'

const API = path.join(import.meta.dirname, '..', '..', 'docs', 'examples', 'shop', 'api.mjs')

test('the sample shop asks a busy server again, by the same key, and gives up at what it refuses', async (t) => {
  const asked: { way: string; key: string | undefined }[] = []
  const answers = [503, 409, 201, 422]
  const server = createServer(({ method, url, headers }, response) => {
    asked.push({ way: `${method} ${url}`, key: headers['idempotency-key'] as string | undefined })
    const status = answers.shift()!
    response.writeHead(status, { 'retry-after': '0' })
    response.end(
      JSON.stringify(status === 201 ? { id: '1' } : { code: status === 409 ? 'request-in-flight' : 'other' }),
    )
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { apiOf } = await import(API)
  const api = apiOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'prt_x')
  assert.deepEqual(await api('POST', '/automations', { name: 'Cart' }), { id: '1' })
  assert.equal(asked.length, 3)
  assert.match(asked[0]!.key!, /^[\w-]{36}$/)
  assert.deepEqual(new Set(asked.map(({ key }) => key)).size, 1)
  await assert.rejects(api('POST', '/forms', {}), /POST \/forms: 422/)
  assert.notEqual(asked[3]!.key, asked[0]!.key)
})
