import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { explainListen, ListenError } from './listen-error.ts'

test('each refusal of the system to listen has a line that names the setting', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const refusalOf = async (host: string, at: number) => {
    const [error] = await once(createServer().listen(at, host), 'error')
    return explainListen(`HOST ${host}, PORT ${at}`, error)
  }
  const cases: [host: string, port: number, why: RegExp][] = [
    ['127.0.0.1', port, /another program uses it/],
    ['nonsense.invalid', 0, /the name has no address/],
    ['203.0.113.7', 0, /does not have that address/],
  ]
  try {
    for (const [host, at, why] of cases) {
      const refusal = await refusalOf(host, at)
      assert.ok(refusal instanceof ListenError, host)
      assert.match(refusal.message, why)
      assert.match(refusal.message, new RegExp(`^HOST ${host}, PORT ${at} cannot be listened on: [^\\n]+$`))
    }
  } finally {
    taken.close()
  }
})
