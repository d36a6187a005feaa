import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { startReceiver } from '../../../../test/support/receiver.ts'
import type { Behaviour } from '../../../../test/support/receiver-behaviour.ts'
import { SES_LOGIN, SES_REGION, sesError, startSesPeer } from '../../../../test/support/ses-peer.ts'
import { classifyReply } from '../../../platform/mail/classify-reply.ts'
import { NO_NETWORKS, parseNetworks } from '../../../platform/net/address-guard.ts'
import { createGuardedClient } from '../../../platform/net/guarded-client.ts'
import { createResolver } from '../../../platform/net/resolver.ts'
import { Secret } from '../../../platform/telemetry/secret.ts'
import type { SesLogin } from '../../integrations/ses-client.ts'
import { sesRefusal } from './ses-reply.ts'
import { createSesTransport, REQUESTS_MAX } from './ses-transport.ts'
import type { Handing, Handover } from './transport.ts'

/** Long enough for a request to arrive on any machine, short for one that is never answered. */
const SHORT_MS = 1_500
/** Long enough for an answer. */
const DEADLINE_MS = 60_000
const ses = await startSesPeer()
const client = createGuardedClient({ allow: parseNetworks('127.0.0.0/8'), resolve: createResolver() })
const guarded = createGuardedClient({ allow: NO_NETWORKS, resolve: createResolver() })
const login: SesLogin = {
  region: SES_REGION,
  endpoint: ses.url,
  accessKeyId: new Secret(SES_LOGIN.accessKeyId),
  secretAccessKey: new Secret(SES_LOGIN.secretAccessKey),
}
const transport = createSesTransport(client, login, DEADLINE_MS)
const hasty = createSesTransport(client, login, SHORT_MS)
after(async () => {
  await Promise.all([transport.close(), hasty.close()])
  await Promise.all([client.close(), guarded.close()])
  await ses.close()
})
beforeEach(() => ses.misbehave(undefined))

const handing = (more: Partial<Handing> = {}): Handing => ({
  envelope: { from: 'news@us.example', to: ['jo@there.example'] },
  bytes: Buffer.from('From: news@us.example\r\n\r\n.dot\r\nhé\r\n'),
  beforeContent: async () => true,
  ...more,
})

/** The meaning of an answer of the service: outcome, and the class of a refusal or the cause of another ending. */
async function meaning(handover: Promise<Handover>): Promise<string> {
  const ended = await handover
  if (ended.outcome === 'refused') return `refused: ${classifyReply(ended.reply)}`
  return 'cause' in ended ? `${ended.outcome}: ${ended.cause}` : ended.outcome
}

test('the bytes of a message arrive as they are, at everybody of the envelope, in one signed request', async () => {
  const given = handing({ envelope: { from: 'news@us.example', to: ['jo@there.example', 'hidden@there.example'] } })
  const handover = await transport.send(given)
  const [message] = ses.messages
  assert.deepEqual(message?.to, ['jo@there.example', 'hidden@there.example'])
  assert.deepEqual(message?.raw, given.bytes)
  assert.deepEqual(handover, {
    ...{ outcome: 'accepted', providerMessageId: message?.id, reply: `250 2.0.0 Ok ${message?.id}` },
  })
})

test('a message is not begun before its moment, and not at all when it is withdrawn', async () => {
  const asked = ses.requests.length
  assert.equal(await meaning(transport.send(handing({ beforeContent: async () => false }))), 'withdrawn')
  await assert.rejects(transport.send(handing({ beforeContent: () => Promise.reject(new Error('away')) })), /away/)
  assert.equal(ses.requests.length, asked)
})

test('each refusal of Amazon is of its class, and no one of them blames a person', async () => {
  const refusals: [Behaviour, string][] = [
    [sesError(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.'), 'throttled'],
    [sesError(400, 'ThrottlingException'), 'throttled'],
    [sesError(400, 'LimitExceededException', 'Daily message quota exceeded.'), 'throttled'],
    [sesError(429, 'SomethingNew'), 'throttled'],
    [sesError(500, 'InternalFailure'), 'transient'],
    [sesError(503, 'ServiceUnavailable'), 'transient'],
    [sesError(400, 'MessageRejected', 'Spam detected, user unknown'), 'policy'],
    [sesError(400, 'MessageRejected', 'Email address is not verified. Failed: jo@there.example'), 'policy'],
    [sesError(400, 'MessageRejected', 'Email address is not verified. Failed: news@us.example'), 'credentials'],
    [sesError(400, 'MessageRejected', 'Message length is more than 41943040 bytes long'), 'content'],
    [sesError(400, 'BadRequestException'), 'content'],
    [sesError(400, 'SendingPausedException'), 'credentials'],
    [sesError(400, 'AccountSuspendedException'), 'credentials'],
    [sesError(400, 'MailFromDomainNotVerifiedException'), 'credentials'],
    [sesError(403, 'AccessDeniedException'), 'credentials'],
    [sesError(403, 'SomethingElse'), 'credentials'],
    [sesError(404, 'NotFoundException'), 'host'],
    [sesError(413, 'RequestEntityTooLarge'), 'host'],
  ]
  for (const [behaviour, expected] of refusals) {
    ses.misbehave(behaviour)
    assert.equal(await meaning(transport.send(handing())), `refused: ${expected}`, JSON.stringify(behaviour))
  }
  ses.misbehave(undefined)
  for (const wrong of [{ accessKeyId: new Secret('AKIAUNKNOWN') }, { secretAccessKey: new Secret('another') }]) {
    const other = createSesTransport(client, { ...login, ...wrong })
    assert.equal(await meaning(other.send(handing())), 'refused: credentials')
    await other.close()
  }
})

test('what was not written is told from what nobody knows of', async () => {
  const unknown: Behaviour[] = [
    ...([
      { kind: 'silent' },
      { kind: 'reset' },
      { kind: 'close' },
      { kind: 'drip_body' },
      { kind: 'garbage' },
    ] as const),
    ...([{ kind: 'short_body' }, { kind: 'answer', body: '<html>' }, { kind: 'answer', body: '{}' }] as const),
  ]
  for (const behaviour of unknown) {
    ses.misbehave(behaviour)
    const asked = ses.requests.length
    const by = behaviour.kind === 'silent' || behaviour.kind === 'drip_body' ? hasty : transport
    assert.match(await meaning(by.send(handing())), /^unanswered: /, JSON.stringify(behaviour))
    assert.equal(ses.requests.length, asked + 1)
  }
  ses.misbehave({ kind: 'redirect', location: 'http://127.0.0.1:1/' })
  assert.equal(await meaning(transport.send(handing())), 'unsent: not_ses')
  const gone = await startReceiver()
  await gone.close()
  const nowhere = createSesTransport(client, { ...login, endpoint: gone.url })
  assert.equal(await meaning(nowhere.send(handing())), 'unsent: connection_econnrefused')
  const inside = createSesTransport(guarded, login)
  assert.equal(await meaning(inside.send(handing())), 'unsent: address_refused')
})

test("an endpoint of somebody's choice shows the name of its errors, Amazon also what it says", () => {
  const told = { name: 'MessageRejected', message: 'secret of the inner network', from: 'a@us.example' }
  assert.equal(sesRefusal(400, { ...told, showMessage: false }).text, 'MessageRejected')
  assert.equal(sesRefusal(400, { ...told, showMessage: true }).text, 'MessageRejected: secret of the inner network')
})

test('no more requests are under way than there are places, and closing waits for them', async () => {
  let underWay = 0
  let most = 0
  const own = createSesTransport(client, login)
  const many = Array.from({ length: REQUESTS_MAX * 3 }, () =>
    own.send(
      handing({
        async beforeContent() {
          underWay += 1
          most = Math.max(most, underWay)
          await new Promise(setImmediate)
          underWay -= 1
          return true
        },
      }),
    ),
  )
  await eventually('messages to be under way', () => most > 1)
  const ended = Promise.all(many)
  assert.ok((await ended).every(({ outcome }) => outcome === 'accepted'))
  assert.ok(most <= REQUESTS_MAX, `${most}`)
  await own.close()
  assert.equal(await meaning(own.send(handing())), 'unsent: transport_closed')
})
