import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeSelector, nextSelector } from './dkim-selector.ts'

test('a selector is DNS labels joined by dots, and leaves room for its record’s name', () => {
  const selector = (text: string, domain = 'example.com') => judgeSelector(text, domain)
  assert.deepEqual(selector(' Postroom '), { name: 'postroom' })
  assert.deepEqual(selector('s1.2026'), { name: 's1.2026' })
  for (const text of ['', '.', 'a..b', '_a', 'a b', 'a/b', 'ä', 'a'.repeat(64), 'postroom._domainkey.example.com']) {
    assert.ok('fault' in selector(text), text)
  }
  const domain = `${`${'a'.repeat(63)}.`.repeat(3)}example.com`
  assert.ok('name' in selector('a'.repeat(38), domain))
  assert.ok('fault' in selector('a'.repeat(39), domain))
})

test('the next selector counts up and takes none that is there', () => {
  assert.equal(nextSelector('postroom', new Set()), 'postroom2')
  assert.equal(nextSelector('s9', new Set(['s10'])), 's11')
  assert.equal(nextSelector('mail.k', new Set()), 'mail.k2')
  const longest = 'a'.repeat(63)
  assert.ok('name' in judgeSelector(nextSelector(longest, new Set()), 'example.com'))
})
