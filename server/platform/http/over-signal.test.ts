import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { overSignal } from './over-signal.ts'
import { createHttpServer } from './server.ts'
import { silentLogger } from './testing.ts'

test('a request is over when its client leaves or its deadline is past, and not once its body has come', async (t) => {
  const app = createHttpServer({
    logger: silentLogger,
    trustProxy: false,
    https: false,
    onRequestDone: () => undefined,
  })
  t.after(() => app.close())
  const over: AbortSignal[] = []
  let handled = Promise.withResolvers<void>()
  const handle = (waits: boolean) => async (_request: unknown, reply: Parameters<typeof overSignal>[0]) => {
    const signal = overSignal(reply)
    over.push(signal)
    const isOver = once(signal, 'abort')
    handled.resolve()
    if (waits) await isOver
    return { isOver: signal.aborted }
  }
  app.post('/at-once', handle(false))
  app.post('/waits', handle(true))
  app.post('/late', { config: { deadlineMs: 1 } }, handle(true))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const post = async (path: string) => {
    const body = JSON.stringify({ some: 'thing' })
    const answer = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return [answer.status, await answer.json()]
  }

  assert.deepEqual(await post('/at-once'), [200, { isOver: false }])
  await (over[0]!.aborted || once(over[0]!, 'abort'))

  const [status] = await post('/late')
  assert.equal(status, 503)
  await (over[1]!.aborted || once(over[1]!, 'abort'))

  handled = Promise.withResolvers()
  const leaving = request(`${url}/waits`, { method: 'POST', headers: { 'content-type': 'application/json' } })
  leaving.on('error', () => undefined).end('{}')
  await handled.promise
  assert.equal(over[2]!.aborted, false)
  leaving.destroy()
  await (over[2]!.aborted || once(over[2]!, 'abort'))
})
