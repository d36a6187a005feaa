import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { asciiHostName, judgeDomain, normaliseHost } from './domain-name.ts'

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

test('a host may have one label, underscores, or an address for a name', () => {
  const hosts: [text: string, host: string | undefined][] = [
    [' Mail_1.Local ', 'mail_1.local'],
    ['relay', 'relay'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['192.0.2.1', '192.0.2.1'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['fe80::1%eth0', undefined],
    ['mail.example.com:25', undefined],
    ['mail..example.com', undefined],
    ['-mail.example.com', undefined],
    ['a'.repeat(64), undefined],
    ['', undefined],
  ]
  for (const [text, host] of hosts) assert.equal(normaliseHost(text), host, text)
})

test('every domain is a host as well, whatever it is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.string({ maxLength: 20 })), (text) => {
      const judged = judgeDomain(text)
      if ('name' in judged) assert.equal(asciiHostName(judged.name), judged.name)
      const host = asciiHostName(text)
      if (host?.includes('.') && /^[a-z0-9.-]+$/.test(host) && /[a-z][^.]*$/.test(host))
        assert.ok('name' in judgeDomain(host))
    }),
    { seed: seedFrom('DOMAIN_SEED'), numRuns: 2_000 },
  )
})
