import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { spellsAnyOf } from './spells-alias.ts'

test('an alias is spelled out alone or between other words, in any case, and never as a part of a word', () => {
  const spells = spellsAnyOf(['ada@example.com', '+49 151 5550199', 'käte', '7', '-x-'])
  for (const text of ['ada@example.com', 'order of ADA@example.com', 'ada@example.com-17', '(+49 151 5550199)']) {
    assert.ok(spells(text), text)
  }
  for (const text of ['KÄTE!', 'order-7', '7', '--x--', '-x-', '𝒜 7']) assert.ok(spells(text), text)
  for (const text of ['nada@example.com', 'ada@example.community', 'ädakäte', '1+49 151 5550199', '77', 'a-x-']) {
    assert.ok(!spells(text), text)
  }
  for (const text of ['', '𝒜7', '7𝒜', 'ada@example', '-x']) assert.ok(!spells(text), text)
  assert.ok(!spellsAnyOf([])('anything'))
})

test('it finds what a regular expression for each alias finds', () => {
  const seed = seedFrom('SPELLS_SEED')
  const random = seededRandom(seed)
  const text = (length: number) =>
    Array.from({ length }, () => 'abA1 @.-é𝒜'.match(/./gu)![Math.floor(random() * 10)]).join('')
  for (let round = 0; round < 500; round++) {
    const aliases = Array.from({ length: 4 }, () => text(1 + Math.floor(random() * 5)))
    const given = text(Math.floor(random() * 16))
    const expected = aliases.some((alias) =>
      new RegExp(`(?<![\\p{L}\\p{N}])${alias.toLowerCase().replaceAll('.', '[.]')}(?![\\p{L}\\p{N}])`, 'u').test(
        given.toLowerCase(),
      ),
    )
    assert.equal(spellsAnyOf(aliases)(given), expected, `${JSON.stringify({ aliases, given })}, SPELLS_SEED=${seed}`)
  }
})
