import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answeredAt, isAcceptableRedirect, isNamedRedirect } from './redirect-uri.ts'

test('a redirect leads to a page over https or to the own machine, in the spelling of browsers', () => {
  const good = [
    'https://claude.ai/api/mcp/auth_callback',
    'https://agents.example.com:8443/back?to=here',
    'http://127.0.0.1:33418',
    'http://127.0.0.1/',
    'http://localhost:1455/auth/callback',
    'http://[::1]:4000/cb',
  ]
  for (const uri of good) assert.ok(isAcceptableRedirect(uri), uri)
  const bad = [
    'http://agents.example.com/back',
    'http://localhost.example.com/back',
    'http://127.0.0.1.example.com/',
    'https://claude.ai@evil.example/',
    'https://user:pw@claude.ai/',
    'https://claude.ai/back#fragment',
    'https://claude.ai\\.evil.example/',
    'https://claude.ai/a/../b',
    'HTTPS://claude.ai/back',
    'https://Claude.ai/back',
    'javascript:alert(1)',
    'data:text/html,x',
    'cursor://anysphere.cursor/callback',
    '//claude.ai/back',
    '/app',
    '',
    `https://claude.ai/${'a'.repeat(300)}`,
  ]
  for (const uri of bad) assert.ok(!isAcceptableRedirect(uri), uri)
})

test('a redirect is one that the client has named, to the letter, but for the port of the own machine', () => {
  const named = ['https://claude.ai/back', 'http://127.0.0.1/cb', 'http://localhost:33418/cb?a=b']
  for (const uri of [
    'https://claude.ai/back',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:50000/cb',
    'http://localhost:1/cb?a=b',
  ])
    assert.ok(isNamedRedirect(uri, named), uri)
  const others = [
    'https://claude.ai:8443/back',
    'https://claude.ai/back/',
    'https://claude.ai/back?x=1',
    'https://evil.example/back',
    'https://127.0.0.1/cb',
    'http://127.0.0.1:50000/other',
    'http://localhost:50000/cb',
    'http://[::1]:50000/cb',
    'http://127.0.0.1:50000/cb?a=b',
  ]
  for (const uri of others) assert.ok(!isNamedRedirect(uri, named), uri)
  assert.ok(!isNamedRedirect('https://claude.ai/back', []))
})

test('parameters of an answer are put behind those that the redirect has', () => {
  const answer = { code: 'a b', state: null, iss: 'https://mail.example.com' }
  assert.equal(
    answeredAt('http://127.0.0.1:1/', answer),
    'http://127.0.0.1:1/?code=a+b&iss=https%3A%2F%2Fmail.example.com',
  )
  assert.equal(answeredAt('https://a.example/?x=%20', { error: 'y' }), 'https://a.example/?x=%20&error=y')
})
