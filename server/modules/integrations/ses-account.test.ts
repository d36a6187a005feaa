import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Behaviour } from '../../../test/support/receiver-behaviour.ts'
import { SES_LOGIN, SES_REGION, sesError, startSesPeer } from '../../../test/support/ses-peer.ts'
import { NO_NETWORKS, parseNetworks } from '../../platform/net/address-guard.ts'
import { createGuardedClient } from '../../platform/net/guarded-client.ts'
import { createResolver } from '../../platform/net/resolver.ts'
import { Secret } from '../../platform/telemetry/secret.ts'
import { readSesAccount } from './ses-account.ts'
import type { SesLogin } from './ses-client.ts'

/** Of an account that never answers. */
const SHORT_MS = 300
/** Long enough for an answer on any machine. */
const DEADLINE_MS = 60_000
const ses = await startSesPeer()
const resolve = createResolver()
const client = createGuardedClient({ allow: parseNetworks('127.0.0.0/8'), resolve })
const guarded = createGuardedClient({ allow: NO_NETWORKS, resolve })
after(async () => {
  await Promise.all([client.close(), guarded.close()])
  await ses.close()
})
beforeEach(() => {
  ses.misbehave(undefined)
  ses.grant({})
})

const login: SesLogin = {
  region: SES_REGION,
  endpoint: ses.url,
  accessKeyId: new Secret(SES_LOGIN.accessKeyId),
  secretAccessKey: new Secret(SES_LOGIN.secretAccessKey),
}
const read = (given: Partial<SesLogin> = {}, deadlineMs = DEADLINE_MS) =>
  readSesAccount(client, { ...login, ...given }, deadlineMs)

test('the account is read with a request that is signed as Amazon asks', async () => {
  ses.grant({ perSecond: 14, perDay: 50_000, sent: 123 })
  assert.deepEqual(await read(), {
    ...{ outcome: 'read', perSecond: 14, perDay: 50_000, sentLast24h: 123 },
    ...{ sandbox: false, sendingEnabled: true },
  })
  ses.grant({ perSecond: 0.5, perDay: -1, sandbox: true, paused: true })
  assert.deepEqual(await read(), {
    ...{ outcome: 'read', perSecond: 1, perDay: null, sentLast24h: 0 },
    ...{ sandbox: true, sendingEnabled: false },
  })
})

test('a wrong key, another secret and another region are refused as such', async () => {
  for (const wrong of [
    { accessKeyId: new Secret('AKIAUNKNOWN') },
    { secretAccessKey: new Secret('another') },
    { region: 'eu-west-1' },
  ]) {
    const failed = await read(wrong)
    assert.equal(failed.outcome === 'failed' && failed.code, 'keys_refused')
  }
})

test('each misbehaviour is a failure of its own, once asked and in time', async () => {
  const answer = (body: string): Behaviour => ({
    kind: 'answer',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const expected: [Behaviour, string][] = [
    [sesError(403, 'AccessDeniedException'), 'permission_missing'],
    [sesError(429, 'TooManyRequestsException'), 'provider_throttled'],
    [sesError(400, 'ThrottlingException'), 'provider_throttled'],
    [sesError(500, 'InternalFailure'), 'provider_unavailable'],
    [sesError(503, 'ServiceUnavailable'), 'provider_unavailable'],
    [answer('<html>'), 'not_ses'],
    [answer(''), 'not_ses'],
    [answer('{}'), 'not_ses'],
    [answer('{"SendQuota":{"Max24HourSend":"lots","MaxSendRate":1}}'), 'not_ses'],
    [answer('{"SendQuota":{"Max24HourSend":"NaN","MaxSendRate":1}}'), 'not_ses'],
    [{ kind: 'redirect', location: 'http://127.0.0.1:1/' }, 'not_ses'],
    [{ kind: 'garbage' }, 'not_ses'],
    [{ kind: 'silent' }, 'account_timeout'],
    [{ kind: 'drip_body' }, 'account_timeout'],
    [{ kind: 'drip_headers' }, 'account_timeout'],
    [{ kind: 'close' }, 'connection_failed'],
    [{ kind: 'reset' }, 'connection_failed'],
    [{ kind: 'endless_body' }, 'not_ses'],
  ]
  for (const [behaviour, code] of expected) {
    ses.misbehave(behaviour)
    const asked = ses.requests.length
    const failed = await read({}, code === 'account_timeout' ? SHORT_MS : DEADLINE_MS)
    assert.deepEqual([failed.outcome, failed.outcome === 'failed' && failed.code], ['failed', code], behaviour.kind)
    assert.equal(ses.requests.length, asked + 1, behaviour.kind)
  }
})

test('an endpoint at a private address is not connected to, and one that listens nowhere is told as such', async () => {
  const connections = ses.connectionsAccepted
  const refused = await readSesAccount(guarded, login)
  assert.equal(refused.outcome === 'failed' && refused.code, 'address_refused')
  const metadata = await readSesAccount(guarded, { ...login, endpoint: 'https://169.254.169.254' })
  assert.equal(metadata.outcome === 'failed' && metadata.code, 'address_refused')
  assert.equal(ses.connectionsAccepted, connections)
  const nowhere = await read({ endpoint: 'http://127.0.0.1:1' })
  assert.equal(nowhere.outcome, 'failed')
})
