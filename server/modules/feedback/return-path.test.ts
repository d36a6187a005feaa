import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { createReturnPaths } from './return-path.ts'

const key = (id: string) => ({ id, key: randomBytes(32) })
const [old, fresh] = [key('old'), key('new')]
const paths = createReturnPaths({ keys: secretKeys([old]), bounceDomain: 'bounces.example.com' })
const MESSAGE = { workspaceId: '12', messageId: '9007199254740993' }
const BIGGEST = String(2n ** 63n - 1n)

test('a return path names its message, whatever letter case comes back, and fits into an address', () => {
  for (const message of [MESSAGE, { workspaceId: BIGGEST, messageId: BIGGEST }, { workspaceId: '1', messageId: '0' }]) {
    const address = paths.of(message)!
    assert.match(address, /^bounces\+[a-z0-9.]{1,56}@bounces\.example\.com$/)
    assert.deepEqual(paths.read(address), message)
    assert.deepEqual(paths.read(address.toUpperCase()), message)
    assert.equal(paths.of(message), address)
  }
})

test('a return path of before, which came back late, is read', () => {
  assert.deepEqual(paths.read(paths.of(MESSAGE)!.replace('bounces+', 'b.')), MESSAGE)
})

test('without a bounce domain there is none, and none is read', () => {
  const none = createReturnPaths({ keys: secretKeys([old]), bounceDomain: null })
  assert.equal(none.of(MESSAGE), null)
  assert.equal(none.read(paths.of(MESSAGE)!), null)
})

test('after the instance’s keys rotated the return paths of before are read; those of other keys never', () => {
  const rotated = createReturnPaths({ keys: secretKeys([fresh, old]), bounceDomain: 'bounces.example.com' })
  assert.notEqual(rotated.of(MESSAGE), paths.of(MESSAGE))
  assert.deepEqual(rotated.read(paths.of(MESSAGE)!), MESSAGE)
  assert.equal(paths.read(rotated.of(MESSAGE)!), null)
})

test('no changed, cut, lengthened or swapped return path is read as one', (t) => {
  const seed = seedFrom('RETURN_PATH_SEED')
  t.diagnostic(`RETURN_PATH_SEED=${seed}`)
  const random = seededRandom(seed)
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789.@-+= \r\n'
  const address = paths.of(MESSAGE)!
  for (let n = 0; n < 20_000; n++) {
    const at = Math.floor(random() * address.length)
    const letter = alphabet[Math.floor(random() * alphabet.length)]!
    const cut = Math.floor(random() * 3)
    const forged = address.slice(0, at) + letter + address.slice(at + cut)
    if (forged !== address) assert.equal(paths.read(forged), null, forged)
  }
  const [first, second] = [paths.of(MESSAGE)!, paths.of({ workspaceId: '13', messageId: '5' })!]
  const codeOf = (text: string) => text.split('@')[0]!.split('.').at(-1)!
  assert.equal(paths.read(first.replace(codeOf(first), codeOf(second))), null)
  assert.equal(paths.read(first.replace('@bounces.', '@evil.')), null)
  for (const none of ['', '@', 'b', 'b...@bounces.example.com', 'postmaster@bounces.example.com']) {
    assert.equal(paths.read(none), null)
  }
})
