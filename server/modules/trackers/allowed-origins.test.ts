import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOriginAllowed, readAllowedOrigin } from './allowed-origins.ts'

test('an origin is kept as browsers send it', () => {
  for (const [given, kept] of [
    ['https://Shop.Example', 'https://shop.example'],
    [' https://shop.example/ ', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://*.shop.example', 'https://*.shop.example'],
  ] as const)
    assert.equal(readAllowedOrigin(given), kept)
})

test('what is no origin of a page is refused', () => {
  for (const given of [
    '',
    'shop.example',
    'ftp://shop.example',
    'https://shop.example/basket',
    'https://shop.example?a=1',
    'https://u:p@shop.example',
    'https://*',
    'https://*.example',
    'https://a.*.example.com',
    'null',
    `https://${'a'.repeat(400)}.example`,
  ])
    assert.equal(readAllowedOrigin(given), undefined, given)
})

test('an empty list allows any page, and any other only whom it names', () => {
  assert.ok(isOriginAllowed([], undefined))
  assert.ok(isOriginAllowed([], 'https://anywhere.example'))
  const list = ['https://shop.example', 'https://*.shop.example', 'http://localhost:3000']
  for (const origin of ['https://shop.example', 'https://www.shop.example', 'https://a.b.shop.example'])
    assert.ok(isOriginAllowed(list, origin), origin)
  assert.ok(isOriginAllowed(list, 'HTTPS://SHOP.EXAMPLE'))
  for (const origin of [
    undefined,
    'null',
    'http://shop.example',
    'https://shop.example:8443',
    'https://notshop.example',
    'https://.shop.example',
    'https://shop.example.evil.example',
    'http://localhost:3001',
  ])
    assert.equal(isOriginAllowed(list, origin), false, origin)
})
