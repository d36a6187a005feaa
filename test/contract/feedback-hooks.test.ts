import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { Webhook } from 'standardwebhooks'
import { keysOf } from '../../server/encryption-keys.ts'
import { createReturnPaths } from '../../server/modules/feedback/return-path.ts'
import { Secret } from '../../server/platform/telemetry/secret.ts'
import { deliveryReport } from '../support/delivery-reports.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { siteCaller } from '../support/site-caller.ts'
import { snsMessage, TOPIC } from '../support/sns-peer.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')
const SITE = '/site/workspaces/default/feedback-hooks'
const BOUNCE_DOMAIN = 'bounces.example.com'

let instance: TestedInstance
let cookie: string
let bouncePort: number
const returnPaths = createReturnPaths({ keys: keysOf(new Secret(ENCRYPTION_KEY)), bounceDomain: BOUNCE_DOMAIN })

before(async () => {
  bouncePort = 20_000 + (process.pid % 10_000)
  const settings = { LOG_LEVEL: 'info', ENCRYPTION_KEY, BOUNCE_DOMAIN, BOUNCE_ADDR: `127.0.0.1:${bouncePort}` }
  instance = await startTestedInstance(settings)
  cookie = (await siteCaller(instance).person('hooks-owner', 'owner', '1')).cookie
})
after(() => instance.close())

const site = (method: string, path: string, json?: object, headers: Record<string, string> = {}) =>
  send(method, instance.baseUrl + path, {
    headers: { cookie, origin: instance.baseUrl, ...headers },
    ...(json === undefined ? {} : { json }),
  })
const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  send('POST', instance.baseUrl + path, { body, headers: { 'content-type': 'application/json', ...headers } })

async function hooks() {
  const { status, json, headers } = await site('GET', SITE)
  assert.equal(status, 200)
  return { ...json, etag: String(headers.etag) }
}

async function sentTo(destination: string): Promise<{ id: string; returnPath: string }> {
  const [row] = await instance.sql<{ id: string }>(
    `insert into messages (workspace_id, purpose, source_kind, destination, state, settled_at, provider, sending_domain)
     values (1, 'transactional', 'email', $1, 'accepted', now(), 'smtp', 'shop.example') returning id`,
    [destination],
  )
  return { id: row!.id, returnPath: returnPaths.of({ workspaceId: '1', messageId: row!.id })! }
}

const suppressed = async (destination: string) =>
  (await send('GET', `${instance.baseUrl}/api/suppressions?destination=${destination}`, { token: instance.token })).json
    .items[0]

/** The entry of an address, as soon as it has one. */
async function listed(destination: string) {
  await eventually(`${destination} is suppressed`, async () => (await suppressed(destination)) !== undefined)
  return suppressed(destination)
}

const dsn = (to: string, recipient: string) =>
  deliveryReport({ to, original: 'Message-ID: <x@shop.example>\n\nHello\n' }, { recipient })

test('the dashboard shows key, paths and secret, the same each time, to who may change integrations', async () => {
  const first = await hooks()
  assert.match(first.ingestKey, /^1-[\w-]{32}$/)
  assert.match(first.secret, /^whsec_/)
  assert.deepEqual(first.paths, {
    ses: `/hooks/${first.ingestKey}/ses`,
    mail: `/hooks/${first.ingestKey}/mail`,
    events: `/hooks/${first.ingestKey}/events`,
  })
  assert.equal(first.bounceDomain, BOUNCE_DOMAIN)
  assert.deepEqual(await hooks(), first)
  const viewer = await siteCaller(instance).person('hooks-viewer', 'viewer', '1')
  const denied = await send('GET', instance.baseUrl + SITE, { headers: { cookie: viewer.cookie } })
  assert.equal(denied.status, 403)
})

test('a signed event is noted and suppresses, under its webhook-id once', async () => {
  const { paths, secret } = await hooks()
  const body = JSON.stringify({
    events: [
      { type: 'bounce', email: 'Gone@Hook.example', bounceKind: 'permanent', detail: '550 5.1.1 gone' },
      { type: 'complaint', email: 'angry@hook.example', occurredAt: '2026-01-02T05:04:05+02:00' },
      { type: 'bounce', email: 'full@hook.example', bounceKind: 'transient' },
      { type: 'bounce', email: 'x@hook.example', bounceKind: 'permanent', messageId: '900000000' },
    ],
  })
  const signed = (id: string, given = secret, at = new Date()) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(given).sign(id, at, body),
  })
  const told = await post(paths.events, body, signed('msg_1'))
  assert.deepEqual([told.status, told.json], [200, { recorded: 3, known: 0, unknown: 1 }])
  assert.deepEqual((await post(paths.events, body, signed('msg_1'))).json, { recorded: 0, known: 3, unknown: 1 })
  const entry = await listed('gone@hook.example')
  assert.deepEqual([entry.reason, entry.detail], ['bounce', '550 5.1.1 gone'])
  assert.equal((await listed('angry@hook.example')).reason, 'complaint')
  const [event] = await instance.sql<{ at: string }>(
    `select occurred_at as at from outbox where type = 'email.complained' and email = 'angry@hook.example'`,
  )
  assert.equal(new Date(event!.at).toISOString(), '2026-01-02T03:04:05.000Z')
  assert.equal(await suppressed('full@hook.example'), undefined)

  const forged: Record<string, string>[] = [
    {},
    signed('msg_2', `whsec_${Buffer.alloc(32).toString('base64')}`),
    signed('msg_2', secret, new Date(Date.now() - 301_000)),
    // Well beyond: it comes nearer until it arrives. Where the limit is, verify-webhook.test.ts says.
    signed('msg_2', secret, new Date(Date.now() + 600_000)),
    { ...signed('msg_2'), 'webhook-id': 'msg_3' },
    { ...signed('msg_2'), 'webhook-timestamp': 'now' },
    { ...signed('msg_2'), 'webhook-signature': signed('msg_2')['webhook-signature'].replace('v1,', 'v2,') },
    { ...signed('msg_2'), 'webhook-signature': 'v1,' },
  ]
  for (const headers of forged) {
    const { status, json } = await post(paths.events, body, headers)
    assert.deepEqual([status, json.code], [403, 'hook-refused'], JSON.stringify(headers))
  }
  assert.equal((await post(paths.events, `${body} `, signed('msg_2'))).status, 403)
})

test('events that do not fit are refused all together, each fault named', async () => {
  const { paths, secret } = await hooks()
  const refused = async (value: unknown) => {
    const body = JSON.stringify(value)
    const at = new Date()
    const headers = {
      'webhook-id': 'msg_faults',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('msg_faults', at, body),
    }
    const { status, json } = await post(paths.events, body, headers)
    assert.equal(status, 400, body)
    return json.errors?.map(({ pointer }: { pointer: string }) => pointer)
  }
  const good = { type: 'complaint', email: 'fine@hook.example' }
  const events = [
    good,
    { type: 'mood', email: 'a@b.example' },
    { type: 'bounce', email: 'a@b.example' },
    { ...good, email: 'nobody' },
    { ...good, extra: 1 },
    { ...good, messageId: 7 },
    { ...good, bounceKind: 'permanent' },
    { ...good, occurredAt: 'yesterday' },
    'text',
  ]
  assert.deepEqual(await refused({ events }), [
    '/events/1/type',
    '/events/2/bounceKind',
    '/events/3/email',
    '/events/4/extra',
    '/events/5/messageId',
    '/events/6/bounceKind',
    '/events/7/occurredAt',
    '/events/8',
  ])
  for (const value of [{}, [], null, { events: [] }, { events: Array(1_001).fill(good) }]) {
    assert.deepEqual(await refused(value), ['/events'])
  }
  assert.equal(await suppressed('fine@hook.example'), undefined)
})

test('a returned mail is taken by the hook and by SMTP, for return paths of ours alone', async () => {
  const { paths } = await hooks()
  const byHook = await sentTo('by-hook@returned.example')
  const told = await post(paths.mail, dsn(byHook.returnPath, 'by-hook@returned.example'), {
    'content-type': 'message/rfc822',
  })
  assert.deepEqual([told.status, told.json], [200, { outcome: 'feedback', recorded: 1, known: 0, unknown: 0 }])
  const answer = await post(paths.mail, 'From: a@b.example\n\nI am away\n', { 'content-type': 'message/rfc822' })
  assert.equal(answer.json.outcome, 'no_report')

  const transport = createTransport({ host: '127.0.0.1', port: bouncePort, secure: false, ignoreTLS: true })
  const bySmtp = await sentTo('by-smtp@returned.example')
  const deliver = (to: string, raw: Buffer | string) => transport.sendMail({ envelope: { from: '', to }, raw })
  await deliver(bySmtp.returnPath, dsn(bySmtp.returnPath, 'by-smtp@returned.example'))
  await deliver(`abuse@${BOUNCE_DOMAIN}`, 'From: a@b.example\n\nI complain\n')
  const forged = bySmtp.returnPath.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'))
  for (const to of [`news@${BOUNCE_DOMAIN}`, 'ada@example.com', forged]) {
    await assert.rejects(deliver(to, 'From: a@b.example\n\nHi\n'), /550 5\.1\.1/, to)
  }
  transport.close()
  for (const way of ['by-hook', 'by-smtp']) {
    const entry = await listed(`${way}@returned.example`)
    assert.deepEqual([entry.reason, entry.messageId], ['bounce', (way === 'by-hook' ? byHook : bySmtp).id])
  }
})

test('only topics of the workspace’s are believed, and changing them heeds If-Match', async () => {
  const { paths, etag } = await hooks()
  const message = JSON.stringify(snsMessage('{}'))
  const refused = await post(paths.ses, message, { 'content-type': 'text/plain; charset=UTF-8' })
  assert.deepEqual([refused.status, refused.json.code], [403, 'hook-refused'])
  assert.equal((await post(paths.ses, '{"Type":"x"}')).status, 400)
  const change = (sesTopics: string[], match = etag) => site('PATCH', SITE, { sesTopics }, { 'if-match': match })
  assert.equal((await change(['arn:aws:sqs:eu-west-1:123456789012:x'])).status, 400)
  assert.equal((await change([TOPIC], '"older"')).status, 412)
  const changed = await change([TOPIC, ` ${TOPIC}`])
  assert.deepEqual([changed.status, changed.json.sesTopics], [200, [TOPIC]])
  const downgraded = JSON.stringify(snsMessage('{}', { SignatureVersion: '1' }))
  const { status, json } = await post(paths.ses, downgraded, { 'content-type': 'text/plain; charset=UTF-8' })
  assert.equal(status, 403)
  assert.match(json.detail, /SignatureVersion/)
})

test('another key takes over and the one before stays good for a day, no longer', async () => {
  const before = await hooks()
  const { status, json: rotated } = await site('POST', `${SITE}/rotate`)
  assert.equal(status, 200)
  assert.notEqual(rotated.ingestKey, before.ingestKey)
  assert.notEqual(rotated.secret, before.secret)
  const reaches = async (path: string) => (await post(path, 'Hi', { 'content-type': 'message/rfc822' })).status
  assert.deepEqual([await reaches(rotated.paths.mail), await reaches(before.paths.mail)], [200, 200])
  await instance.sql(`update feedback_hooks set previous_until = now() where workspace_id = 1`)
  assert.deepEqual([await reaches(rotated.paths.mail), await reaches(before.paths.mail)], [200, 404])
})

test('an unknown key is a 404 whatever is sent, and no key stands in the log', async () => {
  const { ingestKey } = await hooks()
  const wrong = [`${ingestKey}x`, `2${ingestKey.slice(1)}`, `1-${'A'.repeat(32)}`, '1-', 'nonsense', '9'.repeat(25)]
  for (const key of wrong) {
    for (const hook of ['ses', 'mail', 'events']) {
      const { status, json } = await post(`/hooks/${key}/${hook}`, 'x'.repeat(100_000), {
        'content-type': 'text/plain',
      })
      assert.deepEqual([status, json.code], [404, 'not-found'], `${key} ${hook}`)
    }
  }
  await post(`/hooks/${ingestKey}/events`, '{}')
  const inLog = (text: string) => instance.output().includes(text)
  await eventually('the request is logged', () => inLog('/hooks/{ingestKey}/events'))
  assert.ok(!inLog(ingestKey))
})
