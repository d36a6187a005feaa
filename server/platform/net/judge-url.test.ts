import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_NETWORKS, parseNetworks } from './address-guard.ts'
import { judgeUrl } from './judge-url.ts'
import type { Resolution } from './resolver.ts'

function judge(url: string, resolution: Resolution, networks = ''): Promise<unknown> {
  const allow = networks === '' ? NO_NETWORKS : parseNetworks(networks)
  return judgeUrl(url, { allow, resolve: async () => resolution })
}

test('a name is allowed when every address it has is public', async () => {
  const addresses = ['93.184.216.34', '2606:4700::1111']
  assert.deepEqual(await judge('https://a.example/', { outcome: 'resolved', addresses }), { outcome: 'allowed' })
})

test('one denied address refuses the name, and the sentence does not say which', async () => {
  const judged = await judge('https://a.example/', { outcome: 'resolved', addresses: ['93.184.216.34', '10.1.2.3'] })
  assert.deepEqual(judged, {
    outcome: 'refused',
    reason: 'private',
    message:
      'The host of the URL resolves to an address that is not public. Whoever runs this instance can allow networks with WEBHOOK_ALLOW_NETWORKS.',
  })
})

test('an exempted network counts for what a name resolves to', async () => {
  const resolution: Resolution = { outcome: 'resolved', addresses: ['10.1.2.3'] }
  assert.deepEqual(await judge('https://a.example/', resolution, '10.0.0.0/8'), { outcome: 'allowed' })
})

test('a name without an address yet is no refusal', async () => {
  const resolution: Resolution = { outcome: 'unresolvable', reason: 'not_found' }
  assert.deepEqual(await judge('https://a.example/', resolution), resolution)
})

test('a literal address is judged without a look-up', async () => {
  const resolve = (): never => assert.fail('looked up')
  const deps = { allow: NO_NETWORKS, resolve }
  assert.deepEqual(await judgeUrl('https://93.184.216.34/', deps), { outcome: 'allowed' })
  assert.equal((await judgeUrl('https://127.1/', deps)).outcome, 'refused')
})
