import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startReceiver } from '../../../test/support/receiver.ts'
import { RECEIVER_CERTIFICATE } from '../../../test/support/receiver-certificate.ts'
import { NO_NETWORKS, parseNetworks } from '../../platform/net/address-guard.ts'
import { createGuardedClient } from '../../platform/net/guarded-client.ts'
import { isDocumentAddress, readClientDocument } from './client-document.ts'

const publisher = await startReceiver({ tls: RECEIVER_CERTIFICATE })
const resolve = async () => ({ outcome: 'resolved', addresses: ['127.0.0.1'] }) as const
const trustedCa = RECEIVER_CERTIFICATE.cert
const client = createGuardedClient({ allow: parseNetworks('127.0.0.0/8'), resolve, trustedCa })
const strict = createGuardedClient({ allow: NO_NETWORKS, resolve, trustedCa })
after(async () => {
  await Promise.all([client.close(), strict.close()])
  await publisher.close()
})

const address = `https://receiver.example:${publisher.port}/client.json`
const description = {
  ...{ client_id: address, client_name: 'Claude', redirect_uris: ['https://receiver.example/back'] },
  token_endpoint_auth_method: 'none',
}

function publish(
  body: unknown,
  headers: Record<string, string> = { 'content-type': 'application/json' },
  status = 200,
) {
  publisher.behave({ kind: 'answer', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
}

test('the address of a description is https, has a path, and is spelled in one way', () => {
  for (const id of ['https://claude.ai/client.json', 'https://a.example:8443/oauth/client?v=1'])
    assert.ok(isDocumentAddress(id), id)
  for (const id of [
    ...['http://claude.ai/client.json', 'https://claude.ai/', 'https://claude.ai', 'https://claude.ai/#x', 'pac_abc'],
    ...['https://a:b@claude.ai/c', 'https://claude.ai/a/../b', 'https://CLAUDE.ai/c', ''],
  ])
    assert.ok(!isDocumentAddress(id), id)
})

test('a client is what the description at its address says, with the host that it stands at', async () => {
  publish(description, { 'content-type': 'application/json; charset=utf-8' })
  assert.deepEqual(await readClientDocument(client, address), {
    outcome: 'found',
    client: {
      ...{ id: address, name: 'Claude', host: `receiver.example:${publisher.port}` },
      redirectUris: ['https://receiver.example/back'],
    },
  })
})

test('a description of somebody else, of another form, or behind a redirect is none', async () => {
  const cases: [() => void, RegExp][] = [
    [() => publish({ ...description, client_id: `${address}?x` }), /is none of it/],
    [() => publish({ ...description, client_id: undefined }), /is none of it/],
    [() => publish(description, { 'content-type': 'text/html' }), /is none of it/],
    [() => publish('{'), /is none of it/],
    [() => publish('null'), /is none of it/],
    [() => publish(`{"a":"${'x'.repeat(20_000)}"}`), /is none of it|could not be fetched/],
    [() => publish(description, {}, 404), /could not be fetched/],
    [() => publisher.behave({ kind: 'redirect', location: address }), /could not be fetched/],
    [() => publish({ ...description, redirect_uris: ['http://a.example/'] }), /Each redirect is https/],
    [() => publish({ ...description, token_endpoint_auth_method: 'client_secret_post' }), /without a secret/],
  ]
  for (const [given, words] of cases) {
    given()
    const found = await readClientDocument(client, address)
    assert.equal(found.outcome, 'unknown')
    assert.match(found.outcome === 'unknown' ? found.words : '', words)
  }
})

test('no private address is asked', async () => {
  publish(description)
  const before = publisher.connectionsAccepted
  const found = await readClientDocument(strict, address)
  assert.deepEqual(found, {
    outcome: 'unknown',
    words: `Its description could not be fetched from receiver.example:${publisher.port}.`,
  })
  assert.equal(publisher.connectionsAccepted, before)
})
