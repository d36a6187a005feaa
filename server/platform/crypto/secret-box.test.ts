import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { isSealedUnderOldKey, openSecret, sealSecret, secretKeys } from './secret-box.ts'

const first = { id: 'k1', key: randomBytes(32) }
const second = { id: 'k2', key: randomBytes(32) }
const identity = '1/webhook_endpoints/42/secret'

test('a sealed secret opens again under the same identity, and never looks the same twice', () => {
  const keys = secretKeys([first])
  const box = sealSecret('whsec_geheim ✓', keys, identity)
  assert.equal(openSecret(box, keys, identity), 'whsec_geheim ✓')
  assert.notEqual(sealSecret('whsec_geheim ✓', keys, identity), box)
  assert.ok(!box.includes('whsec'))
  assert.equal(openSecret(sealSecret('', keys, identity), keys, identity), '')
})

test('a box copied to another row, changed in any byte, or cut short does not open', () => {
  const keys = secretKeys([first])
  const box = sealSecret('secret', keys, identity)
  assert.throws(() => openSecret(box, keys, '1/webhook_endpoints/43/secret'), /changed or belongs elsewhere/)
  const bytes = Buffer.from(box.slice(3), 'base64url')
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes)
    changed[index]! ^= 1
    assert.throws(() => openSecret(`k1.${changed.toString('base64url')}`, keys, identity))
  }
  for (let length = 0; length < bytes.length; length += 1) {
    assert.throws(() => openSecret(`k1.${bytes.subarray(0, length).toString('base64url')}`, keys, identity))
  }
})

test('after a rotation the old key still opens, and new boxes are under the new key', () => {
  const box = sealSecret('secret', secretKeys([first]), identity)
  const rotated = secretKeys([second, first])
  assert.equal(openSecret(box, rotated, identity), 'secret')
  assert.ok(isSealedUnderOldKey(box, rotated))
  assert.ok(!isSealedUnderOldKey(sealSecret('secret', rotated, identity), rotated))
  assert.throws(() => openSecret(box, secretKeys([second]), identity), /k1, which is not configured/)
})

test('keys of the wrong length, without an id or with the same id are refused', () => {
  assert.throws(() => secretKeys([]))
  assert.throws(() => secretKeys([{ id: 'k1', key: randomBytes(16) }]), /not 32 bytes/)
  assert.throws(() => secretKeys([first, first]), /used twice/)
  assert.throws(() => secretKeys([{ id: 'K.1', key: first.key }]), /malformed/)
})
