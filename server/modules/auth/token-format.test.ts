import assert from 'node:assert/strict'
import test from 'node:test'
import { isPlausibleToken, makeToken, publicIdOf } from './token-format.ts'

test('made tokens have the documented form, their public part and a right checksum', () => {
  const seen = new Set<string>()
  for (let count = 0; count < 500; count += 1) {
    const { token, publicId } = makeToken()
    assert.match(token, /^prt_[0-9A-Za-z]{12}_[0-9A-Za-z]{46}$/)
    assert.equal(publicIdOf(token), publicId)
    assert.ok(isPlausibleToken(token))
    seen.add(token)
  }
  assert.equal(seen.size, 500)
})

test('one changed letter anywhere breaks the checksum', () => {
  const { token } = makeToken()
  for (let index = 4; index < token.length; index += 1) {
    if (token[index] === '_') continue
    const letter = token[index] === 'a' ? 'b' : 'a'
    assert.ok(!isPlausibleToken(`${token.slice(0, index)}${letter}${token.slice(index + 1)}`), `letter ${index}`)
  }
})

test('a preset token is any text of 32 to 512 characters', () => {
  assert.ok(isPlausibleToken('p'.repeat(32)))
  assert.ok(isPlausibleToken(`prt_${'not one of ours, but long enough'}`))
  assert.ok(!isPlausibleToken('p'.repeat(31)))
  assert.ok(!isPlausibleToken('p'.repeat(513)))
})
