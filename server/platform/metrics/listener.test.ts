import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { parseListenAddress } from '../net/listen-address.ts'
import { startMetricsListener } from './listener.ts'

const metrics = { scrape: async () => 'some_metric 1\n' }

test('only GET and HEAD of /metrics and of the probes are answered', async () => {
  const listener = await startMetricsListener(metrics, parseListenAddress('127.0.0.1:0'))
  const base = `http://127.0.0.1:${listener.port}`
  try {
    const get = await fetch(`${base}/metrics?x=1`)
    assert.deepEqual([get.status, await get.text()], [200, 'some_metric 1\n'])
    const head = await fetch(`${base}/metrics`, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '14', ''])
    const post = await fetch(`${base}/metrics`, { method: 'POST', body: 'x' })
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD'])
    for (const path of ['/', '/metrics/', '/metricsx', '/healthzz', '//metrics', '/../metrics']) {
      assert.equal(await statusOf(listener.port, path), 404, path)
    }
  } finally {
    await listener.close()
  }
})

test('the probes say whether the process lives, and whether it can work', async () => {
  let work: () => Promise<object> = async () => ({ held: { reason: 'restored' } })
  const listener = await startMetricsListener({ ...metrics, ready: () => work() }, parseListenAddress('127.0.0.1:0'))
  const probe = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}${path}`)
    return [answer.status, await answer.json()]
  }
  try {
    assert.deepEqual(await probe('/healthz'), [200, { status: 'ok' }])
    assert.deepEqual(await probe('/readyz'), [200, { status: 'ok', held: { reason: 'restored' } }])
    work = () => Promise.reject(new Error('the database is away'))
    assert.deepEqual(await probe('/readyz'), [503, { status: 'not_ready' }])
    work = () => new Promise(() => undefined)
    assert.deepEqual(await probe('/readyz'), [503, { status: 'not_ready' }])
    assert.deepEqual(await probe('/healthz'), [200, { status: 'ok' }])
  } finally {
    await listener.close()
  }
})

test('an address that is taken fails the start', async () => {
  const first = await startMetricsListener(metrics, parseListenAddress('127.0.0.1:0'))
  try {
    await assert.rejects(startMetricsListener(metrics, { host: '127.0.0.1', port: first.port }), { code: 'EADDRINUSE' })
  } finally {
    await first.close()
  }
})

test('closing does not wait for connections that are kept open', async () => {
  const listener = await startMetricsListener(metrics, parseListenAddress('127.0.0.1:0'))
  await (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text()
  await listener.close()
  await assert.rejects(fetch(`http://127.0.0.1:${listener.port}/metrics`))
})

/** Unlike fetch, sends the path as it stands. */
function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
}
