import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type DnsAuthority, startDnsAuthority } from '../support/dns-authority.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { RECEIVER_CERTIFICATE } from '../support/receiver-certificate.ts'
import { SES_LOGIN, SES_REGION, type SesPeer, sesError, startSesPeer } from '../support/ses-peer.ts'
import { SMTP_LOGIN, startSmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Interface specification, Integration: these fields, in this order, and no other. */
const FIELDS = [
  ...['id', 'name', 'channel', 'provider', 'enabled', 'isDefault', 'maxPerSecond', 'maxPerDay', 'sendLimit', 'config'],
  ...['createdAt', 'updatedAt'],
]
/** Those of the specification, then those of decisions 8, then whether the domain of `from` is verified. */
const CONFIG_FIELDS = [
  ...['kind', 'host', 'port', 'username', 'from', 'fromName'],
  ...['tls', 'region', 'endpoint', 'accessKeyIdLast4', 'fromVerified'],
]
const NONE = { limit: null, source: 'none' }
const NAMED = 'receiver.example'
const SECRETS = [SMTP_LOGIN.password, SES_LOGIN.accessKeyId, SES_LOGIN.secretAccessKey, 'another-canary-77120']

let instance: TestedInstance
let api: DescribedApi
let dns: DnsAuthority
let ses: SesPeer
let directory: string
/** Everything the API has answered, to look for secrets in it. */
const answered: string[] = []
const logged = new Set<string>()

before(async () => {
  dns = await startDnsAuthority()
  dns.set(NAMED, { a: ['127.0.0.1'] })
  ses = await startSesPeer()
  directory = await mkdtemp(path.join(os.tmpdir(), 'postroom-integrations-'))
  const certificate = path.join(directory, 'ca.pem')
  await writeFile(certificate, RECEIVER_CERTIFICATE.cert)
  instance = await startTestedInstance({
    DNS_SERVERS: dns.server,
    NODE_EXTRA_CA_CERTS: certificate,
    LOG_LEVEL: 'debug',
  })
  api = await describedApi(instance)
})
after(async () => {
  await instance.close()
  await Promise.all([dns.close(), ses.close(), rm(directory, { recursive: true, force: true })])
})

async function call(method: string, at: string, json?: object, headers: Record<string, string> = {}) {
  const answer = await api.call(method, at, json === undefined ? { headers } : { json, headers })
  answered.push(answer.text)
  // The end of the log is all that is kept of it.
  logged.add(instance.output())
  return answer
}

const smtp = { kind: 'smtp', host: NAMED, port: 587, from: 'News@Sender.example' }
const sesConfig = () => ({ kind: 'ses', region: SES_REGION, ...SES_LOGIN, endpoint: ses.url, from: 'a@sender.example' })

async function created(body: object = {}) {
  const { status, json, text } = await call('POST', '/api/integrations', { name: 'Relay', config: smtp, ...body })
  assert.equal(status, 201, text)
  return json
}

async function refused(status: number, method: string, at: string, body: object): Promise<string[]> {
  const answer = await call(method, at, body)
  assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`)
  return answer.json.errors.map((error: { pointer: string }) => error.pointer)
}

test('an integration has exactly the specified fields, and takes defaults for what is not given', async () => {
  const made = await created()
  assert.deepEqual(Object.keys(made), FIELDS)
  assert.deepEqual(Object.keys(made.config), CONFIG_FIELDS)
  const { id, createdAt, updatedAt, ...rest } = made
  assert.match(id, /^[0-9]+$/)
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(rest, {
    name: 'Relay',
    channel: 'email',
    provider: 'smtp',
    enabled: true,
    isDefault: false,
    maxPerSecond: null,
    maxPerDay: null,
    sendLimit: { perSecond: NONE, perDay: NONE, sentLast24h: 0, warnings: ['unlimited'] },
    config: {
      kind: 'smtp',
      host: NAMED,
      port: 587,
      username: null,
      from: 'news@sender.example',
      fromName: null,
      tls: 'starttls',
      region: null,
      endpoint: null,
      accessKeyIdLast4: null,
      fromVerified: false,
    },
  })
  assert.deepEqual((await call('GET', `/api/integrations/${id}`)).json, made)
  const { json: list } = await call('GET', '/api/integrations?pageSize=1000')
  assert.deepEqual(list.items.at(-1), made)
  assert.equal((await call('DELETE', `/api/integrations/${id}`)).text, '')
  for (const method of ['GET', 'DELETE']) assert.equal((await call(method, `/api/integrations/${id}`)).status, 404)
  assert.equal((await call('GET', '/api/integrations')).json.totalItems, list.totalItems - 1)
})

test('the TLS mode is that of the server unless it is given, clear text on this machine alone, and follows a new server only then', async () => {
  const tlsAfter = async (config: object, change: object) => {
    const made = await created({ config: { ...smtp, ...config } })
    const { json } = await call('PATCH', `/api/integrations/${made.id}`, { config: change })
    return [made.config.tls, json.config.tls]
  }
  assert.deepEqual(await tlsAfter({ port: 465 }, { port: 25 }), ['implicit', 'starttls'])
  assert.deepEqual(await tlsAfter({ port: 2525 }, { port: 465 }), ['starttls', 'implicit'])
  assert.deepEqual(await tlsAfter({ port: 465, tls: 'starttls' }, { port: 25 }), ['starttls', 'starttls'])
  assert.deepEqual(await tlsAfter({ port: 25, tls: 'none' }, { port: 465 }), ['none', 'none'])
  assert.deepEqual(await tlsAfter({ port: 25 }, { tls: 'none' }), ['starttls', 'none'])
  for (const host of ['127.0.0.1', '127.8.0.1', 'localhost']) {
    assert.deepEqual(await tlsAfter({ host, port: 2525 }, { host: NAMED }), ['none', 'starttls'])
    assert.deepEqual(await tlsAfter({ host, port: 465 }, { tls: 'starttls' }), ['implicit', 'starttls'])
  }
})

test('a body that does not fit is a 400 that names the field', async () => {
  const name = 'x'
  const sesWithout = (...fields: string[]) =>
    Object.fromEntries(Object.entries(sesConfig()).filter(([field]) => !fields.includes(field)))
  const wrong: [body: object, ...pointers: string[]][] = [
    [{ config: smtp }, '/name'],
    [{ name: '', config: smtp }, '/name'],
    [{ name: '   ', config: smtp }, '/name'],
    [{ name: 'x'.repeat(201), config: smtp }, '/name'],
    [{ name }, '/config'],
    [{ name, config: null }, '/config'],
    [{ name, config: {} }, '/config/kind'],
    [{ name, config: { ...smtp, kind: 'sendgrid' } }, '/config/kind'],
    [{ name, config: { kind: 'smtp' } }, '/config/host', '/config/port', '/config/from'],
    [{ name, config: { ...smtp, host: 'a b' } }, '/config/host'],
    [{ name, config: { ...smtp, host: 'a.example/x' } }, '/config/host'],
    [{ name, config: { ...smtp, host: 'user@a.example' } }, '/config/host'],
    [{ name, config: { ...smtp, host: 'fe80::1%eth0' } }, '/config/host'],
    [{ name, config: { ...smtp, port: 0 } }, '/config/port'],
    [{ name, config: { ...smtp, port: 65_536 } }, '/config/port'],
    [{ name, config: { ...smtp, port: '587' } }, '/config/port'],
    [{ name, config: { ...smtp, tls: 'maybe' } }, '/config/tls'],
    [{ name, config: { ...smtp, from: 'nobody' } }, '/config/from'],
    [{ name, config: { ...smtp, from: 'A <a@sender.example>' } }, '/config/from'],
    [{ name, config: { ...smtp, fromName: 'A\r\nBcc: b@c.example' } }, '/config/fromName'],
    [{ name, config: { ...smtp, username: 'a\nb' } }, '/config/username'],
    [{ name, config: { ...smtp, password: 'secret' } }, '/config/username'],
    [{ name, config: { ...smtp, username: 'u', password: 'a\r\nb' } }, '/config/password'],
    [{ name, config: { ...smtp, region: SES_REGION } }, '/config/region'],
    [{ name, config: { ...smtp, verified: true } }, '/config/verified'],
    [{ name, config: sesWithout('accessKeyId') }, '/config/accessKeyId'],
    [{ name, config: sesWithout('secretAccessKey') }, '/config/secretAccessKey'],
    [{ name, config: { ...sesConfig(), secretAccessKey: '' } }, '/config/secretAccessKey'],
    [{ name, config: { ...sesConfig(), accessKeyId: 'a/b,c' } }, '/config/accessKeyId'],
    [{ name, config: sesWithout('region', 'from') }, '/config/from', '/config/region'],
    [{ name, config: { ...sesConfig(), region: 'x.attacker.example/#' } }, '/config/region'],
    [{ name, config: { ...sesConfig(), endpoint: 'ftp://a.example' } }, '/config/endpoint'],
    [{ name, config: { ...sesConfig(), endpoint: 'https://a.example/path' } }, '/config/endpoint'],
    [{ name, config: { ...sesConfig(), endpoint: 'https://u:p@a.example' } }, '/config/endpoint'],
    [{ name, config: { ...sesConfig(), host: 'a.example' } }, '/config/host'],
    [{ name, config: smtp, maxPerSecond: 0 }, '/maxPerSecond'],
    [{ name, config: smtp, maxPerSecond: 10_001 }, '/maxPerSecond'],
    [{ name, config: smtp, maxPerSecond: 1.5 }, '/maxPerSecond'],
    [{ name, config: smtp, maxPerDay: 0 }, '/maxPerDay'],
    [{ name, config: smtp, maxPerDay: 100_000_001 }, '/maxPerDay'],
    [{ name, config: smtp, channel: 'sms' }, '/channel'],
  ]
  for (const [body, ...pointers] of wrong) {
    const found = await refused(400, 'POST', '/api/integrations', body)
    assert.deepEqual(found.toSorted(), pointers.toSorted(), JSON.stringify(body))
  }
  const disagreeing = { name, provider: 'ses', config: smtp }
  assert.deepEqual(await refused(422, 'POST', '/api/integrations', disagreeing), ['/provider'])
  assert.equal((await created({ channel: 'email', provider: 'smtp' })).provider, 'smtp')
})

test('a server at an address of credentials is refused, and so is a private HTTP endpoint; a private relay is not', async () => {
  dns.set('metadata.example', { a: ['169.254.169.254'] })
  const name = 'x'
  for (const host of ['169.254.169.254', '2852039166', '0xa9.254.169.254', '[fd00:ec2::254]', 'metadata.example']) {
    const body = { name, config: { ...smtp, host } }
    assert.deepEqual(await refused(422, 'POST', '/api/integrations', body), ['/config/host'], host)
  }
  // Servers of names that never answer are no reason to fail: the name is judged when it is used.
  dns.set('mute.example', { silent: true })
  for (const config of [
    { ...smtp, host: 'mute.example' },
    { ...sesConfig(), endpoint: 'https://mute.example' },
  ]) {
    await created({ config })
  }
  for (const host of ['10.0.0.25', '::1', 'localhost', 'not-yet.example', 'mail_1.internal']) {
    assert.equal((await created({ config: { ...smtp, host } })).config.host, host)
  }
  for (const endpoint of [
    'https://10.0.0.1',
    'https://169.254.169.254',
    'http://93.184.216.34',
    'http://a.example.com',
  ]) {
    const body = { name, config: { ...sesConfig(), endpoint } }
    assert.deepEqual(await refused(422, 'POST', '/api/integrations', body), ['/config/endpoint'], endpoint)
  }
})

test('limits are set, cleared by null and kept when absent, and are the effective ones where there is no other', async () => {
  const made = await created({ maxPerSecond: 5, maxPerDay: 1_000 })
  const at = `/api/integrations/${made.id}`
  assert.deepEqual(made.sendLimit, {
    perSecond: { limit: 5, source: 'manual' },
    perDay: { limit: 1_000, source: 'manual' },
    sentLast24h: 0,
    warnings: [],
  })
  const { json: changed } = await call('PATCH', at, { maxPerSecond: null, name: 'Renamed' })
  assert.deepEqual([changed.maxPerSecond, changed.maxPerDay, changed.name], [null, 1_000, 'Renamed'])
  assert.deepEqual(changed.sendLimit.perSecond, NONE)
  assert.deepEqual(changed.sendLimit.warnings, ['unlimited'])
  assert.ok(changed.updatedAt > made.updatedAt)
  assert.deepEqual((await call('PATCH', at, {})).json, changed)
  await instance.sql(
    `insert into send_counters (workspace_id, integration_id, minute, sent) values
      (1, $1, date_trunc('minute', now()), 700), (1, $1, date_trunc('minute', now() - interval '23 hours 59 minutes'), 100),
      (1, $1, date_trunc('minute', now() - interval '24 hours 1 minute'), 5000)`,
    [made.id],
  )
  const { json: near } = await call('GET', at)
  assert.deepEqual([near.sendLimit.sentLast24h, near.sendLimit.warnings], [800, ['unlimited', 'dailyLimitNear']])
  const { json: reached } = await call('PATCH', at, { maxPerDay: 800, maxPerSecond: 1 })
  assert.deepEqual(reached.sendLimit.warnings, ['dailyLimitReached'])
})

test('a stored password stays when it is not given, and only with the server it was given for', async () => {
  const made = await created({ config: { ...smtp, username: SMTP_LOGIN.username, password: SMTP_LOGIN.password } })
  const at = `/api/integrations/${made.id}`
  const sealed = async () =>
    (await instance.sql<{ password: string | null }>('select password from integrations where id = $1', [made.id]))[0]
      ?.password
  const before = await sealed()
  assert.ok(before && !before.includes(SMTP_LOGIN.password))
  const kept = { ...smtp, username: SMTP_LOGIN.username, fromName: 'Renamed' }
  for (const config of [
    { fromName: 'A' },
    { password: '' },
    kept,
    { ...kept, password: '' },
    { host: 'RECEIVER.example' },
  ]) {
    assert.equal((await call('PATCH', at, { config })).status, 200, JSON.stringify(config))
    assert.equal(await sealed(), before)
  }
  for (const config of [
    { host: 'other.example' },
    { port: 25 },
    { tls: 'none' },
    { username: 'somebody' },
    { host: 'other.example', password: '' },
  ]) {
    assert.deepEqual(await refused(422, 'PATCH', at, { config }), ['/config/password'], JSON.stringify(config))
  }
  const { json: moved } = await call('PATCH', at, {
    config: { host: 'other.example', password: 'another-canary-77120' },
  })
  assert.equal(moved.config.host, 'other.example')
  assert.notEqual(await sealed(), before)
  assert.equal((await call('PATCH', at, { config: { port: 25, password: null } })).status, 200)
  assert.equal(await sealed(), null)
  const { json: other } = await call('PATCH', at, { config: { ...sesConfig(), from: 'b@sender.example' } })
  assert.deepEqual(
    [other.provider, other.config.kind, other.config.host, other.config.region],
    ['ses', 'ses', null, SES_REGION],
  )
  assert.equal(other.config.accessKeyIdLast4, SES_LOGIN.accessKeyId.slice(-4))
  assert.deepEqual(await refused(422, 'PATCH', at, { config: { region: 'eu-west-1' } }), [
    '/config/accessKeyId',
    '/config/secretAccessKey',
  ])
  assert.deepEqual(await refused(400, 'PATCH', at, { config: smtp, name: '' }), ['/name'])
  assert.deepEqual(await refused(400, 'PATCH', at, { config: { kind: 'smtp', host: NAMED } }), [
    '/config/from',
    '/config/port',
  ])
})

test('at most one integration of a channel is the default, however many become it at once', async () => {
  const first = await created({ isDefault: true })
  const second = await created({ isDefault: true })
  const isDefault = async (id: string) => (await call('GET', `/api/integrations/${id}`)).json.isDefault
  assert.deepEqual([await isDefault(first.id), await isDefault(second.id)], [false, true])
  const ids = [first.id, second.id, ...(await Promise.all([1, 2, 3, 4].map(() => created()))).map(({ id }) => id)]
  const rounds = Array.from({ length: 3 }, (_, round) =>
    ids.map((id, n) => call('PATCH', `/api/integrations/${id}`, { isDefault: true, maxPerDay: 1 + ((round + n) % 3) })),
  )
  const made = Array.from({ length: 6 }, () =>
    call('POST', '/api/integrations', { name: 'x', config: smtp, isDefault: true }),
  )
  for (const { status, text } of await Promise.all([...rounds.flat(), ...made]))
    assert.ok(status === 200 || status === 201, text)
  const { json: list } = await call('GET', '/api/integrations?pageSize=1000')
  assert.equal(list.items.filter((one: { isDefault: boolean }) => one.isDefault).length, 1)
  const { id } = list.items.find((one: { isDefault: boolean }) => one.isDefault)
  assert.equal((await call('PATCH', `/api/integrations/${id}`, { enabled: false })).json.isDefault, true)
  assert.equal((await call('DELETE', `/api/integrations/${id}`)).status, 204)
  const { json: left } = await call('GET', '/api/integrations?pageSize=1000')
  assert.equal(left.items.filter((one: { isDefault: boolean }) => one.isDefault).length, 0)
})

test('the list is filtered by channel, provider and state, with exact totals', async () => {
  await created({ enabled: false })
  await created({ config: sesConfig() })
  const { json: all } = await call('GET', '/api/integrations?pageSize=1000')
  type Item = { provider: string; enabled: boolean; channel: string }
  const expected = (fits: (item: Item) => boolean) => all.items.filter(fits)
  for (const [query, fits] of [
    ['channel=email', () => true],
    ['provider=ses', (item: Item) => item.provider === 'ses'],
    ['provider=smtp&enabled=false', (item: Item) => item.provider === 'smtp' && !item.enabled],
    ['enabled=true', (item: Item) => item.enabled],
  ] as const) {
    const { json } = await call('GET', `/api/integrations?pageSize=1000&${query}`)
    const ids = (items: { id: string }[]) => items.map(({ id }) => id)
    assert.deepEqual(ids(json.items), ids(expected(fits)), query)
    assert.equal(json.totalItems, json.items.length)
    assert.ok(json.totalItems > 0, query)
  }
  for (const query of ['channel=sms', 'provider=x', 'enabled=yes']) {
    assert.equal((await call('GET', `/api/integrations?${query}`)).status, 400, query)
  }
})

test('a change heeds If-Match', async () => {
  const made = await call('POST', '/api/integrations', { name: 'Matched', config: smtp })
  const at = `/api/integrations/${made.json.id}`
  const etag = String((await call('GET', at)).headers.etag)
  assert.equal(made.headers.etag, etag)
  assert.equal((await call('PATCH', at, { name: 'B' }, { 'if-match': '"old"' })).status, 412)
  // Mail sent meanwhile makes it no other one, and is in every read.
  const minute = `insert into send_counters values (1, $1, date_trunc('minute', now()), 3)`
  await instance.sql(minute, [made.json.id])
  const unchanged = await call('GET', at, undefined, { 'if-none-match': etag })
  assert.deepEqual([unchanged.status, unchanged.json.sendLimit.sentLast24h], [200, 3])
  const changed = await call('PATCH', at, { name: 'B' }, { 'if-match': etag })
  assert.equal(changed.status, 200)
  assert.equal((await call('DELETE', at, undefined, { 'if-match': etag })).status, 412)
  assert.equal((await call('DELETE', at, undefined, { 'if-match': String(changed.headers.etag) })).status, 204)
})

/** A verified sending domain, without a name server having been asked. */
async function verifyDomain(domain: string): Promise<void> {
  const { json } = await call('POST', '/api/sending-domains', { domain })
  await instance.sql('update sending_domain_keys set verified_at = now() where domain_id = $1', [json.id])
}

test('a test says whether mail could be handed over, and where it fails', async () => {
  const server = await startSmtpPeer()
  const at = { kind: 'smtp', host: NAMED, port: server.port, from: 'a@sender.example', username: SMTP_LOGIN.username }
  try {
    const made = await created({ config: { ...at, password: SMTP_LOGIN.password } })
    const { json: unsigned } = await call('POST', `/api/integrations/${made.id}/test`)
    assert.deepEqual([unsigned.ok, unsigned.phase, unsigned.code], [false, 'sender', 'from_unverified'])
    assert.equal(unsigned.tlsVersion, 'TLSv1.3')
    const { etag } = (await call('GET', `/api/integrations/${made.id}`)).headers
    await verifyDomain('sender.example')
    const verified = await call('GET', `/api/integrations/${made.id}`)
    assert.deepEqual([verified.json.config.fromVerified, verified.headers.etag], [true, etag])
    const { json: good } = await call('POST', `/api/integrations/${made.id}/test`)
    assert.deepEqual(Object.keys(good), ['ok', 'phase', 'code', 'message', 'reply', 'tlsVersion', 'durationMs'])
    assert.deepEqual([good.ok, good.phase, good.code, good.reply, good.tlsVersion], [true, null, 'ok', null, 'TLSv1.3'])
    const unsaved = async (config: object) => (await call('POST', '/api/integrations/test', { config })).json
    const wrong = await unsaved({ ...at, password: 'another-canary-77120' })
    assert.deepEqual([wrong.ok, wrong.phase, wrong.code], [false, 'auth', 'credentials_refused'])
    assert.match(wrong.reply, /^535 /)
    const mode = await unsaved({ ...at, password: SMTP_LOGIN.password, tls: 'implicit' })
    assert.deepEqual([mode.ok, mode.phase], [false, 'tls'])
    assert.deepEqual(server.messages, [])
    assert.equal((await unsaved({ ...smtp, host: 'missing.example' })).code, 'host_not_found')
    assert.deepEqual(
      await refused(422, 'POST', '/api/integrations/test', { config: { ...smtp, host: '169.254.169.254' } }),
      ['/config/host'],
    )
    const missing = await refused(400, 'POST', '/api/integrations/test', { config: { kind: 'smtp' } })
    assert.deepEqual(missing, ['/config/from', '/config/host', '/config/port'])
  } finally {
    await server.close()
  }
})

test('the quota of an SES account is read after saving, bounds the limits, and is kept when it cannot be read', async () => {
  ses.grant({ perSecond: 14.9, perDay: 50_000, sent: 49_000 })
  const made = await created({ config: sesConfig(), maxPerSecond: 20, maxPerDay: 40_000 })
  const at = `/api/integrations/${made.id}`
  const limits = async () => (await call('GET', at)).json.sendLimit
  await eventually('the quota to be read', async () => (await limits()).perSecond.source === 'provider')
  assert.deepEqual(await limits(), {
    perSecond: { limit: 14, source: 'provider' },
    perDay: { limit: 40_000, source: 'manual' },
    sentLast24h: 0,
    warnings: ['dailyLimitNear'],
  })
  const { json: tie } = await call('PATCH', at, { maxPerSecond: 14, maxPerDay: 50_000 })
  assert.deepEqual([tie.sendLimit.perSecond.source, tie.sendLimit.perDay.source], ['manual', 'manual'])
  await call('PATCH', at, { maxPerSecond: null, maxPerDay: null })
  ses.misbehave(sesError(403, 'AccessDeniedException'))
  try {
    const { json: test } = await call('POST', `${at}/test`)
    assert.deepEqual(
      [test.ok, test.phase, test.code, test.reply],
      [false, 'auth', 'permission_missing', '403 AccessDeniedException'],
    )
    const switched = [await call('PATCH', at, { enabled: false }), await call('PATCH', at, { enabled: true })]
    assert.deepEqual(
      switched.map(({ status }) => status),
      [200, 200],
    )
    await eventually('the failure to show', async () => (await limits()).warnings.includes('providerQuotaUnavailable'))
    const kept = await limits()
    assert.deepEqual(
      [kept.perSecond, kept.perDay],
      [
        { limit: 14, source: 'provider' },
        { limit: 50_000, source: 'provider' },
      ],
    )
    assert.deepEqual(kept.warnings, ['providerQuotaUnavailable', 'dailyLimitNear'])
  } finally {
    ses.misbehave(undefined)
  }
  ses.grant({ perDay: -1, perSecond: 1 })
  await call('PATCH', at, {
    config: { accessKeyId: SES_LOGIN.accessKeyId, secretAccessKey: SES_LOGIN.secretAccessKey },
  })
  await eventually('the new quota to be read', async () => (await limits()).perSecond.limit === 1)
  assert.deepEqual(await limits(), {
    perSecond: { limit: 1, source: 'provider' },
    perDay: NONE,
    sentLast24h: 0,
    warnings: ['unlimited'],
  })
  const { json: good } = await call('POST', `${at}/test`)
  assert.deepEqual([good.ok, good.code], [true, 'ok'])
})

test('the audit log names what changed, and of secrets and persons only that they did', async () => {
  const made = await created({ name: 'Audited', config: { ...smtp, username: 'u', password: SMTP_LOGIN.password } })
  await call('PATCH', `/api/integrations/${made.id}`, {
    maxPerDay: 9,
    config: { password: 'another-canary-77120', from: 'z@sender.example' },
  })
  await call('DELETE', `/api/integrations/${made.id}`)
  const { json } = await call('GET', `/api/audit-entries?targetType=integration&targetId=${made.id}&limit=100`)
  const entries = json.items.filter((one: { target: { id: string } }) => one.target.id === made.id)
  assert.deepEqual(
    entries.map((one: { action: string }) => one.action),
    ['integration.delete', 'integration.update', 'integration.create'],
  )
  assert.deepEqual(entries[1].diff, { maxPerDay: { from: null, to: 9 }, password: 'changed', from: 'changed' })
  assert.equal(entries[2].diff.username, 'changed')
  assert.equal(entries[0].target.name, 'Audited')
})

test('the dashboard has the same operations, for those whose role allows them', async () => {
  const login = await send('POST', `${instance.baseUrl}/site/auth/login`, {
    json: { email: instance.email, password: instance.password },
  })
  const cookie = String(login.headers['set-cookie']).split(';')[0]!
  const { json: spaces } = await send('GET', `${instance.baseUrl}/site/workspaces`, { headers: { cookie } })
  const [workspace] = Array.isArray(spaces) ? spaces : spaces.items
  const base = `${instance.baseUrl}/site/workspaces/${workspace.slug}/integrations`
  const headers = { cookie, origin: instance.baseUrl }
  const made = await send('POST', base, { headers, json: { name: 'Site', config: smtp } })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(Object.keys(made.json), FIELDS)
  const paths = [
    ['GET', base],
    ['GET', `${base}/${made.json.id}`],
    ['DELETE', `${base}/${made.json.id}`],
  ] as const
  const statuses = []
  for (const [method, url] of paths) statuses.push((await send(method, url, { headers })).status)
  assert.deepEqual(statuses, [200, 200, 204])
})

test('no secret is in any answer, in the log, in the description or in clear in the database', async () => {
  const { text: description } = await send('GET', `${instance.baseUrl}/api/openapi.json`)
  const rows = await instance.sql<{ row: string }>(
    `select to_jsonb(i)::text as row from integrations i union all select to_jsonb(a)::text from audit_entries a`,
  )
  const places = {
    answers: answered.join('\n'),
    log: [...logged].join('\n'),
    description,
    rows: rows.map(({ row }) => row).join('\n'),
  }
  assert.ok(places.answers.length > 10_000 && places.rows.length > 1_000 && places.log.includes('/api/integrations'))
  for (const [place, text] of Object.entries(places)) {
    for (const secret of SECRETS) {
      for (const spelling of [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)]) {
        assert.ok(!text.includes(spelling), `${place} has ${spelling}`)
      }
    }
  }
})
