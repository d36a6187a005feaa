import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'

const SHOP = path.join(import.meta.dirname, '..', '..', 'docs', 'examples', 'shop')

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
  const { apiOf } = await import(path.join(SHOP, 'api.mjs'))
  const api = apiOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'prt_x')
  assert.deepEqual(await api('POST', '/automations', { name: 'Cart' }), { id: '1' })
  assert.equal(asked.length, 3)
  assert.match(asked[0]!.key!, /^[\w-]{36}$/)
  assert.deepEqual(new Set(asked.map(({ key }) => key)).size, 1)
  await assert.rejects(api('POST', '/forms', {}), /POST \/forms: 422/)
  assert.notEqual(asked[3]!.key, asked[0]!.key)
})

test('what the sample shop makes and is not told of, it finds; what it cannot make ends it', async () => {
  const { setUp } = await import(path.join(SHOP, 'set-up.mjs'))
  const made = new Map<string, { id: string; name: string; status: string; allowedOrigins: string[] }>()
  const asked: string[] = []
  let refused: string | undefined
  const api = async (method: string, at: string, body?: { name: string }) => {
    const family = at.split(/[/?]/)[1]!
    asked.push(`${method} /${family}`)
    if (method === 'GET') return { items: [...(made.has(family) ? [made.get(family)!] : [])] }
    if (method === 'PATCH' || at.endsWith('/activate')) return made.get(family)
    if (family !== refused) made.set(family, { id: '1', status: 'draft', allowedOrigins: [], name: body!.name })
    throw new Error('409 idempotent-answer-lost')
  }
  const { tracker, form, automation } = await setUp(api, 'http://localhost:8080', 1)
  assert.deepEqual([tracker.id, form.id, automation.id], ['1', '1', '1'])
  assert.equal(asked.filter((way) => way === 'POST /trackers').length, 1)
  made.clear()
  refused = 'forms'
  await assert.rejects(setUp(api, 'http://localhost:8080', 1), /answer-lost/)
})
