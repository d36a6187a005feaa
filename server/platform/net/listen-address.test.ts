import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseListenAddress } from './listen-address.ts'

test('an address is host:port, :port or [ipv6]:port', () => {
  assert.deepEqual(parseListenAddress('127.0.0.1:9464'), { host: '127.0.0.1', port: 9464 })
  assert.deepEqual(parseListenAddress('metrics.internal:9464'), { host: 'metrics.internal', port: 9464 })
  assert.deepEqual(parseListenAddress(':9464'), { host: undefined, port: 9464 })
  assert.deepEqual(parseListenAddress('[::1]:9464'), { host: '::1', port: 9464 })
})

for (const wrong of ['', '9464', 'localhost', '::1:9464', 'host:', 'host:99999', 'http://host:1', 'a b:1', ':1\n']) {
  test(`${JSON.stringify(wrong)} is refused in one line that says what is expected`, () => {
    assert.throws(() => parseListenAddress(wrong), {
      message: /^must be host:port, :port or \[ipv6\]:port, not "[^\n]*"$/,
    })
  })
}
