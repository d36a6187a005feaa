import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDnsAuthority } from '../../../test/support/dns-authority.ts'
import { createResolver, parseDnsServers } from './resolver.ts'

const TIMEOUT_MS = 60_000
/** For who never answers. */
const SHORT_MS = 300
const authority = await startDnsAuthority()
after(() => authority.close())
const resolve = createResolver({ servers: [authority.server] })

test('a name resolves to the addresses of both families', async () => {
  authority.set('both.example', { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] })
  const resolution = await resolve('both.example', TIMEOUT_MS)
  assert.deepEqual(resolution, { outcome: 'resolved', addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'] })
})

test('an alias resolves to what it points at', async () => {
  authority.set('alias.example', { cname: 'target.example' })
  authority.set('target.example', { a: ['10.0.0.1'] })
  assert.deepEqual(await resolve('alias.example', TIMEOUT_MS), { outcome: 'resolved', addresses: ['10.0.0.1'] })
})

test('every call asks again, whatever time the answer may be kept', async () => {
  let turn = 0
  authority.set('flip.example', ({ type }) => (type === 'A' ? { a: [`192.0.2.${++turn}`], ttlSeconds: 3600 } : {}))
  for (let call = 1; call <= 3; call += 1) {
    assert.deepEqual(await resolve('flip.example', TIMEOUT_MS), { outcome: 'resolved', addresses: [`192.0.2.${call}`] })
    assert.equal(authority.countOf('flip.example', 'A'), call)
    assert.equal(authority.countOf('flip.example', 'AAAA'), call)
  }
})

test('one family is enough when the other fails', async () => {
  authority.set('half.example', ({ type }) => (type === 'A' ? { a: ['192.0.2.1'] } : { failure: 'SERVFAIL' }))
  assert.deepEqual(await resolve('half.example', TIMEOUT_MS), { outcome: 'resolved', addresses: ['192.0.2.1'] })
})

test('no answer is a value that says why', async () => {
  authority.set('empty.example', {})
  authority.set('broken.example', { failure: 'SERVFAIL' })
  authority.set('mute.example', { silent: true })
  authority.set('crowd.example', { a: Array.from({ length: 65 }, (_, i) => `192.0.2.${i}`) })
  const reasons = await Promise.all(
    ['missing.example', 'empty.example', 'broken.example', 'crowd.example', 'mute.example'].map(async (name) => {
      const resolution = await resolve(name, name === 'mute.example' ? SHORT_MS : TIMEOUT_MS)
      return resolution.outcome === 'unresolvable' ? resolution.reason : resolution.outcome
    }),
  )
  assert.deepEqual(reasons, ['not_found', 'not_found', 'failed', 'failed', 'timeout'])
})

test('the hosts file comes before the servers when it is asked', async () => {
  const withHosts = createResolver({
    servers: [authority.server],
    hosts: async (name) => (name === 'pinned.example' ? ['10.0.0.7'] : []),
  })
  authority.set('pinned.example', { a: ['192.0.2.1'] })
  assert.deepEqual(await withHosts('pinned.example', TIMEOUT_MS), { outcome: 'resolved', addresses: ['10.0.0.7'] })
  assert.equal(authority.countOf('pinned.example'), 0)
})

test('a list of servers says which entry is wrong', () => {
  assert.deepEqual(parseDnsServers('127.0.0.1:5353, [::1]:53,9.9.9.9'), ['127.0.0.1:5353', '[::1]:53', '9.9.9.9'])
  assert.deepEqual(parseDnsServers(''), [])
  for (const entry of [
    'dns.example:53',
    '127.0.0.1:0',
    '127.0.0.1:70000',
    '127.0.0.1:',
    '::1:53:x',
    '[127.0.0.1]:53',
  ]) {
    assert.throws(
      () => parseDnsServers(`127.0.0.1,${entry}`),
      new RegExp(`: ${entry.replace(/[[\].]/g, '\\$&')}$`),
      entry,
    )
  }
})
