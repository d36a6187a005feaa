import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanText, cleanUrl } from '../../tracker/clean-url.ts'

test('an address keeps where it leads, and what a campaign says of itself', () => {
  for (const [given, kept] of [
    ['https://shop.example/shoes', 'https://shop.example/shoes'],
    [
      'https://shop.example:8443/a/b.html?utm_source=mail&q=1&utm_campaign=x',
      'https://shop.example:8443/a/b.html?utm_source=mail&utm_campaign=x',
    ],
    ['https://ada:secret@shop.example/', 'https://shop.example/'],
    ['https://shop.example/?utm_=1&xutm_a=2&UTM_SOURCE=3', 'https://shop.example/'],
    ['https://shop.example/#access_token=abc', 'https://shop.example/'],
    ['https://shop.example/#/cart?code=1', 'https://shop.example/#/cart'],
    ['https://shop.example/#!/cart', 'https://shop.example/#!/cart'],
    ['', ''],
  ] as const)
    assert.equal(cleanUrl(given), kept)
})

test('what looks like an address of a person or a token stays out', () => {
  for (const [given, kept] of [
    ['https://shop.example/reset/ada@example.com/now', 'https://shop.example/reset/*/now'],
    ['https://shop.example/reset/ada%40example.com', 'https://shop.example/reset/*'],
    ['https://shop.example/?utm_term=ada%2540example.com&utm_id=1', 'https://shop.example/?utm_term=*&utm_id=1'],
    ['https://shop.example/in/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2ln/x', 'https://shop.example/in/*/x'],
    ['https://shop.example/#/reset/ada@example.com', 'https://shop.example/#/reset/*'],
  ] as const)
    assert.equal(cleanUrl(given), kept)
  assert.equal(cleanText('Orders of ada@example.com - Shop'), 'Orders of * - Shop')
})
