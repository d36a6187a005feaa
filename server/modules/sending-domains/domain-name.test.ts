import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeDomain, judgeSelector, nextSelector } from './domain-name.ts'

const nameOf = (judgement: ReturnType<typeof judgeDomain>) => ('name' in judgement ? judgement.name : undefined)

test('a domain is lower-cased, put into ASCII, and loses its final dot', () => {
  assert.equal(nameOf(judgeDomain(' Mail.Example.COM. ')), 'mail.example.com')
  assert.equal(nameOf(judgeDomain('Bücher.example')), 'xn--bcher-kva.example')
  assert.equal(nameOf(judgeDomain('例え。テスト')), 'xn--r8jz45g.xn--zckzah')
  const longest = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(61)}`
  assert.equal(nameOf(judgeDomain(longest)), longest)
})

test('what is no domain is refused in words', () => {
  const refused: [text: string, fault: RegExp][] = [
    ['', /not a domain/],
    ['localhost', /one dot/],
    ['example', /one dot/],
    ['ada@example.com', /email address/],
    ['https://example.com', /domain name alone/],
    ['example.com/path', /domain name alone/],
    ['example.com:25', /domain name alone/],
    ['192.0.2.1', /not an address/],
    ['0x7f.1', /address|not a domain|must be/],
    ['[2001:db8::1]', /domain name alone/],
    ['2001:db8::1', /domain name alone/],
    ['a..example.com', /labels|not a domain/],
    ['-a.example.com', /labels/],
    ['a-.example.com', /labels/],
    ['a_b.example.com', /labels/],
    ['*.example.com', /labels|not a domain/],
    ['exa mple.com', /domain name alone/],
    [`${'a'.repeat(64)}.example.com`, /63|not a domain/],
    [`${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(62)}`, /253/],
  ]
  for (const [text, fault] of refused) {
    const judgement = judgeDomain(text)
    assert.ok('fault' in judgement, text)
    assert.match(judgement.fault, fault, text)
  }
})

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
