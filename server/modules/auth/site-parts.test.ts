import assert from 'node:assert/strict'
import test from 'node:test'
import { networkOf } from './client-ip.ts'
import { ROLE_PERMISSIONS } from './roles.ts'
import { isSameOrigin } from './same-origin.ts'
import { sessionCookie, sessionIdOf } from './session-cookie.ts'

const ID = 'a'.repeat(43)

test('over https the cookie is bound to the host, over http it works on localhost', () => {
  assert.match(
    sessionCookie(ID, true),
    /^__Host-postroom_session=a{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
  )
  assert.doesNotMatch(sessionCookie(ID, false), /Secure|__Host/)
  assert.equal(sessionIdOf(`x=1; __Host-postroom_session=${ID}; y=2`, true), ID)
  assert.equal(sessionIdOf(`postroom_session=${ID}`, true), undefined)
  for (const header of [undefined, '', 'postroom_session=', `postroom_session=${ID}a`, `xpostroom_session=${ID}`]) {
    assert.equal(sessionIdOf(header, false), undefined)
  }
})

test('only our own pages and programs may change anything', () => {
  const host = 'mail.example.org'
  const may = (headers: Record<string, string>, method = 'POST') =>
    isSameOrigin(method, { host, ...headers }, 'https://mail.example.org')
  assert.ok(may({}))
  assert.ok(may({ origin: 'https://mail.example.org' }))
  assert.ok(may({ 'sec-fetch-site': 'same-origin', origin: 'http://mail.example.org' }))
  assert.ok(may({ origin: 'https://evil.example' }, 'GET'))
  assert.ok(
    isSameOrigin(
      'POST',
      { host: '10.0.0.7:3000', origin: 'https://mail.example.org', 'sec-fetch-site': 'same-origin' },
      'https://mail.example.org',
    ),
  )
  for (const headers of [
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://mail.example.org.evil.example' },
  ]) {
    assert.ok(!may(headers as Record<string, string>))
  }
})

test('addresses of one IPv6 network count as one', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2')
  assert.equal(networkOf('2001:DB8:0001:2::9'), '2001:db8:1:2')
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0')
  assert.equal(networkOf('::1'), '0:0:0:0')
})

test('a role includes what the roles below it may do', () => {
  const above = { viewer: 'member', member: 'admin', admin: 'owner' } as const
  for (const [role, higher] of Object.entries(above) as [keyof typeof above, keyof typeof ROLE_PERMISSIONS][]) {
    assert.ok(
      [...ROLE_PERMISSIONS[role]].every((scope) => ROLE_PERMISSIONS[higher].has(scope)),
      role,
    )
  }
  assert.ok([...ROLE_PERMISSIONS.viewer].every((scope) => scope.endsWith(':read')))
  for (const role of ['member', 'viewer'] as const) assert.ok(!ROLE_PERMISSIONS[role].has('tokens:read'))
})
