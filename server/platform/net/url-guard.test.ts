import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_NETWORKS, parseNetworks } from './address-guard.ts'
import { parseTarget, REFUSED_PORTS, URL_CHARACTERS_MAX } from './url-guard.ts'

function judged(url: string, networks = ''): string {
  const verdict = parseTarget(url, networks === '' ? NO_NETWORKS : parseNetworks(networks))
  return verdict.outcome === 'allowed' ? 'allowed' : verdict.reason
}

test('a public name is allowed and taken apart as the request needs it', () => {
  assert.deepEqual(parseTarget('HTTPS://Hooks.Example.com:8443/a b?c=%20d#e', NO_NETWORKS), {
    outcome: 'allowed',
    target: {
      origin: 'https://hooks.example.com:8443',
      secure: true,
      hostname: 'hooks.example.com',
      literal: false,
      port: 8443,
      path: '/a%20b?c=%20d',
    },
  })
})

test('an IDN becomes its ASCII name, a literal IPv6 address loses its brackets', () => {
  const idn = parseTarget('http://bücher.example/', NO_NETWORKS)
  assert.equal(idn.outcome === 'allowed' && idn.target.hostname, 'xn--bcher-kva.example')
  const literal = parseTarget('http://[2606:4700:4700:0::1111]/', NO_NETWORKS)
  assert.equal(literal.outcome === 'allowed' && literal.target.hostname, '2606:4700:4700::1111')
  assert.equal(literal.outcome === 'allowed' && literal.target.literal, true)
})

test('only http and https, without credentials, within the length', () => {
  assert.equal(judged('ftp://example.com/'), 'scheme')
  assert.equal(judged('file:///etc/passwd'), 'scheme')
  assert.equal(judged('javascript:alert(1)'), 'scheme')
  assert.equal(judged('example.com/hook'), 'invalid_url')
  assert.equal(judged('/hook'), 'invalid_url')
  assert.equal(judged('http://'), 'invalid_url')
  for (const url of [
    'https:example.com',
    'http:/example.com',
    'http:\\\\example.com',
    'https:///example.com',
    'ht\ntp://example.com',
  ])
    assert.equal(judged(url), 'invalid_url', url)
  assert.equal(judged(' https://example.com/ '), 'allowed')
  assert.equal(judged('http://a..example.com/'), 'invalid_url')
  assert.equal(judged(`http://${'a.'.repeat(130)}example/`), 'invalid_url')
  assert.equal(judged('http://user@example.com/'), 'credentials')
  assert.equal(judged('http://:secret@example.com/'), 'credentials')
  assert.equal(judged('http://trusted.example@127.0.0.1/'), 'credentials')
  assert.equal(judged(`https://example.com/${'a'.repeat(URL_CHARACTERS_MAX)}`), 'too_long')
})

test('ports of other protocols are refused, others allowed', () => {
  for (const port of [0, 22, 25, 465, 587, 110, 143, 3306, 5432, 6379, 9200, 11211]) {
    assert.ok(REFUSED_PORTS.has(port), String(port))
    assert.equal(judged(`http://example.com:${port}/`), 'port', String(port))
  }
  for (const port of [80, 443, 3000, 8000, 8080, 8443, 9000, 65_535]) {
    assert.equal(judged(`http://example.com:${port}/`), 'allowed', String(port))
  }
})

test('names of this machine and its network are refused before any look-up', () => {
  const names = ['localhost', 'LOCALHOST', 'a.localhost', 'printer.local', 'db.internal', 'metadata.google.internal']
  const more = ['intranet', 'example.com.', 'localhost.', 'db.internal.', 'router.home.arpa', 'localhost.localdomain']
  for (const name of [...names, ...more]) assert.equal(judged(`http://${name}/`), 'local_name', name)
  for (const name of ['localhost.example', 'internal.example', 'notlocal.example', 'mylocalhost.example']) {
    assert.equal(judged(`http://${name}/`), 'allowed', name)
  }
})

test('an exempted network frees a literal address but no name', () => {
  assert.equal(judged('http://127.0.0.1:8080/', '127.0.0.0/8'), 'allowed')
  assert.equal(judged('http://[::ffff:127.0.0.1]/', '127.0.0.0/8'), 'allowed')
  assert.equal(judged('http://postroom.localhost/', '127.0.0.0/8'), 'local_name')
})

test('the sentence for humans never names an address', () => {
  const verdict = parseTarget('http://0x7f.1/', NO_NETWORKS)
  assert.equal(verdict.outcome, 'refused')
  assert.doesNotMatch(verdict.outcome === 'refused' ? verdict.message : '', /[0-9]+\.[0-9]+/)
})

test('localhost is the loopback address by http for whoever exempts that, and no name otherwise', () => {
  const allowed = parseTarget('http://localhost:8099/hook', parseNetworks('127.0.0.0/8'))
  assert.equal(allowed.outcome === 'allowed' && allowed.target.origin, 'http://127.0.0.1:8099')
  for (const networks of ['', '10.0.0.0/8']) assert.equal(judged('http://localhost/', networks), 'local_name')
  assert.equal(judged('https://localhost/', '127.0.0.0/8'), 'local_name')
  const refused = parseTarget('http://10.0.0.1/', NO_NETWORKS)
  assert.match(refused.outcome === 'refused' ? refused.message : '', /WEBHOOK_ALLOW_NETWORKS/)
})
