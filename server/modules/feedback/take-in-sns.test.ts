import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { feedbackWorld, type Sent } from '../../../test/support/feedback-world.ts'
import { SNS_CERTIFICATES } from '../../../test/support/sns-certificates.ts'
import { CERTIFICATE_URL, snsMessage, startSns, subscribeUrl, TOPIC } from '../../../test/support/sns-peer.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { createSnsCertificates } from './sns-certificates.ts'
import type { SnsMessage } from './sns-message.ts'
import { takeInSns } from './take-in-sns.ts'
import { MESSAGE_AGE_MS_MAX } from './verify-sns.ts'

const { pool, workspaceId } = await testWorkspace()
const world = feedbackWorld(pool)
const { sent, marks } = world
const hook = { workspaceId, sesTopics: [TOPIC] }

let n = 0
const address = () => `ses-${++n}@example.com`

function service(certificates: Record<string, string> = {}) {
  const sns = startSns(certificates)
  const deps = { ...world.deps, client: sns, ...createSnsCertificates(sns) }
  return {
    sns,
    post: (message: SnsMessage | string, to = hook) =>
      takeInSns(deps, to, typeof message === 'string' ? message : JSON.stringify(message)),
  }
}
const { post } = service()

type Bounced = { type?: string; subType?: string; diagnostic?: string; status?: string; timestamp?: string }
function bounce(message: Sent | null, to: string, { type = 'Permanent', subType = 'General', ...told }: Bounced = {}) {
  return JSON.stringify({
    notificationType: 'Bounce',
    bounce: {
      bounceType: type,
      bounceSubType: subType,
      bouncedRecipients: [{ emailAddress: to, action: 'failed', status: told.status, diagnosticCode: told.diagnostic }],
      timestamp: told.timestamp ?? new Date().toISOString(),
    },
    mail: {
      messageId: `ses-${message?.messageId}`,
      source: 'news@shop.example',
      destination: [to],
      commonHeaders: message ? { messageId: message.messageIdHeader } : undefined,
    },
  })
}
const eventsOf = async (to: string) => (await world.events(workspaceId)).filter(({ email }) => email === to)

test('a bounce and a complaint that Amazon signed are noted with their message, once however often they come', async () => {
  const [to, angry] = [address(), address()]
  const [message, other] = [await sent(workspaceId, to), await sent(workspaceId, angry)]
  world.counted.length = 0
  const told = snsMessage(bounce(message, to, { diagnostic: 'smtp; 550 5.1.1 user unknown', status: '5.1.1' }))
  assert.deepEqual(await post(told), { outcome: 'taken', recorded: 1, known: 0, unknown: 0 })
  assert.deepEqual(await post(told), { outcome: 'taken', recorded: 0, known: 1, unknown: 0 })
  const complaint = {
    eventType: 'Complaint',
    complaint: {
      complainedRecipients: [{ emailAddress: `Angry <${angry.toUpperCase()}>` }],
      complaintFeedbackType: 'abuse',
    },
    mail: { headers: [{ name: 'Message-ID', value: other.messageIdHeader }] },
  }
  await post(snsMessage(JSON.stringify(complaint)))
  assert.deepEqual([await marks(message), await marks(other)], [['bounced'], ['complained']])
  const [event] = await eventsOf(to)
  assert.deepEqual(
    [event?.data.bounceKind, event?.data.reason, event?.data.detail],
    ['permanent', 'address_refused', 'Permanent General smtp; 550 5.1.1 user unknown'],
  )
  assert.deepEqual(
    (await eventsOf(angry)).map(({ type }) => type),
    ['email.complained'],
  )
  assert.deepEqual(world.counted, ['ses bounce', 'ses complaint'])
})

test('a bounce is of the time that Amazon names, as far as that can be', async () => {
  const timesOf = async ({ messageId }: Sent, to: string) => {
    const [row] = await world.scoped<{ created: string; bounced: string; event: string; isNow: boolean }>(
      workspaceId,
      `select m.created_at as created, m.bounced_at as bounced, o.occurred_at as event,
          m.bounced_at between now() - interval '10 minutes' and now() as "isNow"
        from messages m left join outbox o on o.workspace_id = $1 and o.type = 'email.bounced' and o.email = $3
        where m.workspace_id = $1 and m.id = $2`,
      [messageId, to],
    )
    return row!
  }
  const told = async (timestamp: (created: string) => string) => {
    const to = address()
    const message = await sent(workspaceId, to)
    const { created } = await timesOf(message, to)
    await post(snsMessage(bounce(message, to, { timestamp: timestamp(created) })))
    return timesOf(message, to)
  }
  const late = await told((created) => created)
  assert.deepEqual([late.bounced, late.event], [late.created, late.created])
  const early = await told(() => '2020-01-01T00:00:00.000Z')
  assert.deepEqual([early.bounced, early.event], [early.created, early.created], 'not before its message')
  for (const none of ['2999-01-01T00:00:00.000Z', 'yesterday']) assert.equal((await told(() => none)).isNow, true, none)
})

test('by a clock that is behind, a bounce of a message that is still under way is of now', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  await world.scoped(
    workspaceId,
    `update messages set state = 'pending', settled_at = null, provider = null, sending_domain = null
      where workspace_id = $1 and id = $2 returning id`,
    [message.messageId],
  )
  await post(snsMessage(bounce(message, to, { timestamp: '2020-01-01T00:00:00.000Z' })))
  const [row] = await world.scoped<{ isLater: boolean }>(
    workspaceId,
    'select bounced_at > created_at as "isLater" from messages where workspace_id = $1 and id = $2',
    [message.messageId],
  )
  assert.equal(row!.isLater, true)
})

test('without our header a message is found by what SES called it, and what nobody sent is of the address alone', async () => {
  const [to, stranger] = [address(), address()]
  const message = await sent(workspaceId, to, { providerMessageId: 'ses-own-id' })
  const told = JSON.parse(bounce(null, to)) as { mail: { messageId: string } }
  told.mail.messageId = 'ses-own-id'
  await post(snsMessage(JSON.stringify(told)))
  assert.deepEqual(await marks(message), ['bounced'])
  await post(snsMessage(bounce(null, stranger)))
  const [event] = await eventsOf(stranger)
  assert.deepEqual(event?.data, {
    ...{ workspaceId: Number(workspaceId), email: stranger, provider: 'ses', sendingDomain: null },
    ...{ bounceKind: 'permanent', reason: 'address_refused', detail: 'Permanent General' },
  })
})

test('of a message to several each address has its own word', async () => {
  const [to, copied] = [address(), address()]
  const message = await sent(workspaceId, to)
  await post(snsMessage(bounce(message, copied, { diagnostic: 'smtp; 550 5.1.1 user unknown' })))
  assert.deepEqual([await marks(message), await eventsOf(to)], [[], []])
  const [event] = await eventsOf(copied)
  assert.deepEqual([event?.data.bounceKind, event?.data.messageId], ['permanent', undefined])
})

test('only what SES calls permanent is, unless the receiver itself says that the sender is at fault', async () => {
  const cases: [Bounced, string][] = [
    [{}, 'permanent'],
    [{ subType: 'Suppressed' }, 'permanent'],
    [{ diagnostic: 'smtp; 550 5.0.0 no' }, 'permanent'],
    [{ diagnostic: 'smtp; 550 5.7.1 spam' }, 'transient'],
    [{ diagnostic: 'smtp; 552 5.2.2 full' }, 'transient'],
    [{ type: 'Transient', subType: 'General' }, 'transient'],
    [{ type: 'Transient', subType: 'MailboxFull', diagnostic: 'smtp; 550 5.1.1 x' }, 'transient'],
    [{ type: 'Undetermined', subType: 'Undetermined' }, 'transient'],
    [{ type: 'permanent' }, 'transient'],
  ]
  for (const [told, kind] of cases) {
    const to = address()
    await post(snsMessage(bounce(null, to, told)))
    assert.equal((await eventsOf(to))[0]?.data.bounceKind, kind, JSON.stringify(told))
  }
})

test('deliveries, openings and what is no notification are believed and ignored', async () => {
  const texts = [
    '{"eventType":"Delivery","mail":{}}',
    '{"notificationType":"Received"}',
    'Successfully validated SNS topic for Amazon SES event publishing.',
    '[]',
    'null',
    '{"notificationType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":[{"emailAddress":"nobody"},7,null]}}',
    '{"notificationType":"Complaint","complaint":{"complaintFeedbackType":"not-spam","complainedRecipients":[{"emailAddress":"a@b.example"}]}}',
  ]
  for (const text of texts) assert.deepEqual(await post(snsMessage(text)), { outcome: 'ignored' }, text)
})

test('a subscription to a topic of the workspace’s is confirmed at Amazon, any other nowhere', async () => {
  const { sns, post: tell } = service()
  const confirmation = (SubscribeURL: string, fields: Partial<SnsMessage> = {}) =>
    snsMessage('You have chosen to subscribe.', {
      Type: 'SubscriptionConfirmation',
      Token: '2336412f37',
      SubscribeURL,
      ...fields,
    })
  assert.deepEqual(await tell(confirmation(subscribeUrl())), { outcome: 'confirmed' })
  assert.deepEqual(sns.asked, [CERTIFICATE_URL, subscribeUrl()])
  sns.confirmStatus = 503
  assert.deepEqual(await tell(confirmation(subscribeUrl())), { outcome: 'unconfirmed' })
  sns.asked.length = 0
  const others = [
    'http://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x',
    'https://169.254.169.254/latest/meta-data',
    'https://evil.example/?Action=ConfirmSubscription',
    subscribeUrl().replace('amazonaws.com', 'amazonaws.com.evil.example'),
    subscribeUrl().replace('https://', 'https://user@'),
    subscribeUrl().replace('.com/', '.com:8443/'),
    subscribeUrl().replace('eu-west-1', 'us-east-1'),
    subscribeUrl().replace('ConfirmSubscription', 'DeleteTopic'),
    subscribeUrl(`${TOPIC}-other`),
    `${subscribeUrl()}&Action=DeleteTopic`,
    subscribeUrl().replace('/?', '/x?'),
  ]
  for (const url of others) {
    assert.deepEqual(await tell(confirmation(url)), { outcome: 'refused', fault: 'subscribe_url' }, url)
  }
  assert.deepEqual(sns.asked, [])
  assert.deepEqual(await tell({ ...confirmation(subscribeUrl()), Type: 'UnsubscribeConfirmation' }), {
    outcome: 'refused',
    fault: 'signature',
  })
})

test('a certificate is fetched once, and again when it could not be had', async () => {
  const { sns, post: tell } = service()
  for (let times = 0; times < 3; times++) await tell(snsMessage('{}'))
  assert.deepEqual(sns.asked, [CERTIFICATE_URL])
  const other = CERTIFICATE_URL.replace('0123', '9999')
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(await tell(snsMessage('{}', { SigningCertURL: other })), {
      outcome: 'refused',
      fault: 'certificate',
    })
  }
  assert.deepEqual(sns.asked, [CERTIFICATE_URL, other, other])
})

const HOST = 'https://sns.eu-west-1.amazonaws.com'
const FILE = CERTIFICATE_URL.slice(HOST.length)
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const at = (url: string) => ({ SigningCertURL: url })
const expired = CERTIFICATE_URL.replace('0123', 'eeee')
const stranger = CERTIFICATE_URL.replace('0123', 'ffff')
const weak = CERTIFICATE_URL.replace('0123', 'dddd')

/** Each is properly signed with what it says, unless it says otherwise: only what is named is wrong. */
function forgeries(text: string): Record<string, SnsMessage | string> {
  const signed = snsMessage(text)
  const altered = (fields: Partial<SnsMessage>) => ({ ...signed, ...fields })
  return {
    'another message': altered({ Message: text.replace('ses-', 'victim-') }),
    'another id': altered({ MessageId: 'another' }),
    'another time': altered({ Timestamp: minutesAgo(1) }),
    'another type': altered({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: subscribeUrl() }),
    'a subject put in': altered({ Subject: 'x' }),
    'a subject with a line of its own': altered({ Subject: 'x\nTimestamp' }),
    'a field moved into another': altered({ MessageId: `${signed.MessageId}\nSubject\nx` }),
    'no signature': altered({ Signature: '' }),
    'a signature that is no base64': altered({ Signature: '%%%%' }),
    'a random signature': altered({ Signature: randomBytes(256).toString('base64') }),
    'half a signature': altered({ Signature: signed.Signature.slice(0, 171) }),
    'a stranger’s key': snsMessage(text, {}, 'stranger'),
    'version 1, with SHA-1': snsMessage(text, { SignatureVersion: '1' }),
    'version 1 written over version 2': altered({ SignatureVersion: '1' }),
    'version 2 written over version 1': { ...snsMessage(text, { SignatureVersion: '1' }), SignatureVersion: '2' },
    'version 3': snsMessage(text, { SignatureVersion: '3' }),
    'no version': snsMessage(text, { SignatureVersion: '' }),
    'version 2.0': snsMessage(text, { SignatureVersion: '2.0' }),
    'another topic': snsMessage(text, { TopicArn: `${TOPIC}2` }),
    'another account’s topic': snsMessage(text, { TopicArn: TOPIC.replace('123456789012', '999999999999') }),
    'another region’s topic': snsMessage(text, { TopicArn: TOPIC.replace('eu-west-1', 'us-east-1') }),
    'a topic in other letters': snsMessage(text, { TopicArn: TOPIC.toUpperCase() }),
    'a topic with a space': snsMessage(text, { TopicArn: `${TOPIC} ` }),
    'the topic written over another': { ...snsMessage(text, { TopicArn: `${TOPIC}2` }), TopicArn: TOPIC },
    'an old message': snsMessage(text, { Timestamp: minutesAgo(MESSAGE_AGE_MS_MAX / 60_000 + 1) }),
    'a message of last year': snsMessage(text, { Timestamp: '2025-01-01T00:00:00.000Z' }),
    'a message of tomorrow': snsMessage(text, { Timestamp: minutesAgo(-60) }),
    'a time that is none': snsMessage(text, { Timestamp: 'now' }),
    'no time': snsMessage(text, { Timestamp: '' }),
    'a time in another form': snsMessage(text, { Timestamp: new Date().toUTCString() }),
    'an expired certificate': snsMessage(text, at(expired)),
    'a certificate made out to another': snsMessage(text, at(stranger), 'stranger'),
    'a certificate with a weak key': snsMessage(text, at(weak), 'weak'),
    'a certificate by http': snsMessage(text, at(CERTIFICATE_URL.replace('https:', 'http:'))),
    'a certificate elsewhere': snsMessage(text, at(`https://evil.example${FILE}`)),
    'a certificate on a host that begins like theirs': snsMessage(text, at(`${HOST}.evil.example${FILE}`)),
    'a certificate on a host that ends like theirs': snsMessage(
      text,
      at(`https://evilsns.eu-west-1.amazonaws.com${FILE}`),
    ),
    'a certificate in a bucket': snsMessage(text, at(`https://s3.eu-west-1.amazonaws.com${FILE}`)),
    'a certificate in a bucket named like theirs': snsMessage(
      text,
      at(`https://sns.eu-west-1.s3.amazonaws.com${FILE}`),
    ),
    'a certificate of another region': snsMessage(text, at(CERTIFICATE_URL.replace('eu-west-1', 'us-east-1'))),
    'a certificate behind credentials': snsMessage(text, at(`https://sns.eu-west-1.amazonaws.com@evil.example${FILE}`)),
    'a certificate behind a user': snsMessage(text, at(CERTIFICATE_URL.replace('https://', 'https://user@'))),
    'a certificate on another port': snsMessage(text, at(`${HOST}:444${FILE}`)),
    'a certificate by another path': snsMessage(text, at(`${HOST}/other.pem`)),
    'a certificate by a path around': snsMessage(text, at(`${HOST}/x/..${FILE.replace('.pem', '.pem/../../x')}`)),
    'a certificate with a query': snsMessage(text, at(`${CERTIFICATE_URL}?x=y`)),
    'a certificate with a fragment': snsMessage(text, at(`${CERTIFICATE_URL}#x`)),
    'a certificate in other letters': snsMessage(text, at(CERTIFICATE_URL.replace('sns.', 'SNS.'))),
    'a certificate behind a backslash': snsMessage(
      text,
      at(`https://evil.example\\@sns.eu-west-1.amazonaws.com${FILE}`),
    ),
    'a certificate that is inline': snsMessage(text, at(`data:,${SNS_CERTIFICATES.good}`)),
    'no certificate': snsMessage(text, at('')),
    'a number for a text': JSON.stringify({ ...signed, MessageId: 7 }),
    'a list for a text': JSON.stringify({ ...signed, Message: [text] }),
    'an unknown type': JSON.stringify({ ...signed, Type: 'Order' }),
    'a field less': JSON.stringify({ ...signed, Signature: undefined }),
    'a subject that is no text': JSON.stringify({ ...signed, Subject: null }),
    'no JSON': 'Type=Notification',
    'a bare bounce': text,
  }
}

test('of more than forty forgeries none is taken, and none has a certificate fetched elsewhere', async (t) => {
  const to = address()
  const message = await sent(workspaceId, to)
  const text = bounce(message, to)
  const { sns, post: tell } = service({
    [expired]: SNS_CERTIFICATES.expired,
    [stranger]: SNS_CERTIFICATES.stranger,
    [weak]: SNS_CERTIFICATES.weak,
  })
  const forged = Object.entries(forgeries(text))
  assert.ok(forged.length >= 40)
  t.diagnostic(`${forged.length} forgeries`)
  for (const [name, post] of forged) {
    const { outcome } = await tell(post)
    assert.ok(outcome === 'refused' || outcome === 'malformed', `${name}: ${outcome}`)
  }
  for (const url of sns.asked) assert.ok(url.startsWith(`${HOST}/SimpleNotificationService-`), url)
  const elsewhere = await tell(snsMessage(text), { workspaceId, sesTopics: [] })
  assert.deepEqual(elsewhere, { outcome: 'refused', fault: 'topic' })
  assert.deepEqual([await marks(message), await eventsOf(to)], [[], []])
  assert.equal((await tell(snsMessage(text))).outcome, 'taken', 'the same, unforged')
})
