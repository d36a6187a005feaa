import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPool } from '../../server/platform/db/pool.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { mailReaders, PERSON, PROXY } from '../support/mail-readers.ts'
import { relayAt, storeSenderIn } from '../support/sending-world.ts'
import { type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

/*
 * Mail that is opened and clicked or not, and a broadcast that goes once more to those who have not, by the API alone: real mail, real requests for its pictures and
 * links, by people and by machines.
 */

const ENCRYPTION_KEY = Buffer.alloc(32, 9).toString('base64')
const BODY = '<p><a href="https://shop.example/">Shop</a> <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'

let instance: TestedInstance
let relay: SmtpPeer

before(async () => {
  relay = await startSmtpPeer({
    authOptional: true,
    onRcptTo: ({ address }, _session, done) => done(refusalOf(address)),
  })
  instance = await startTestedInstance({ ENCRYPTION_KEY, TRUST_PROXY: '127.0.0.1' })
  await storeSenderIn(instance.database.url, ENCRYPTION_KEY)
  await api('POST', '/integrations', { name: 'Relay', isDefault: true, config: relayAt(relay) })
})
after(async () => {
  await instance.close()
  await relay.close()
})

const refusalOf = (address: string) =>
  address.startsWith('gone') ? Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 }) : null

const call = (method: string, path: string, json?: object) =>
  send(method, `${instance.baseUrl}/api${path}`, { token: instance.token, ...(json ? { json } : {}) })

async function api(method: string, path: string, json?: object) {
  const answer = await call(method, path, json)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.json
}

const NAMES = ['silent', 'opens', 'clicks', 'proxied', 'leaves', 'gone']
const address = (name: string) => `${name}@receiver.example`

const { laterOn, follow } = mailReaders(
  () => instance,
  () => relay,
)
const reportOf = (id: string) => api('GET', `/broadcasts/${id}/report`)
const arrivedAt = async (id: string) => {
  await eventually('it is sent', async () => (await reportOf(id)).status === 'sent')
  const { items } = await api('GET', `/broadcasts/${id}/recipients?state=accepted`)
  return items.map(({ destination }: { destination: string }) => destination.split('@')[0]).sort()
}
const members = async (segmentId: string) => {
  const { count, sample } = await api('GET', `/segments/${segmentId}/preview`)
  assert.equal(sample.length, count)
  return sample.map(({ email }: { email: string }) => email.split('@')[0]).sort()
}
const draftFor = (id: string, body: object = {}) => api('POST', `/broadcasts/${id}/draft-for-unopened`, body)

let first = ''

test('a broadcast goes once more to exactly those who got it and have not opened it', async () => {
  await api('POST', '/contacts/batch', { contacts: NAMES.map((name) => ({ email: address(name) })) })
  const content = { name: 'Spring', subject: 'Hello', body: BODY, text: 'Plain {{ unsubscribe_url }}', fromName: 'Ada' }
  first = (await api('POST', '/broadcasts', content)).id
  const early = await call('POST', `/broadcasts/${first}/draft-for-unopened`)
  assert.deepEqual([early.status, early.json.code], [409, 'wrong-status'])
  await api('POST', `/broadcasts/${first}/send`)
  assert.deepEqual(await arrivedAt(first), ['clicks', 'leaves', 'opens', 'proxied', 'silent'])
  // Whoever comes later did not get it.
  await api('POST', '/contacts', { email: address('later') })

  // Some time later than what machines do on arrival.
  await laterOn()
  await follow(address('opens'), { kind: 'o', by: PERSON })
  // Their mail program shows no pictures.
  await follow(address('clicks'), { kind: 'c', by: PERSON })
  await follow(address('proxied'), { kind: 'o', by: PROXY })
  await follow(address('leaves'), { kind: 'u', by: PERSON, method: 'POST' })
  await eventually('all of it is judged', async () => {
    const { openedCount, clickedCount, unsubscribedCount, machineOpenedCount } = await reportOf(first)
    return openedCount === 1 && clickedCount === 1 && unsubscribedCount === 1 && machineOpenedCount === 1
  })

  const again = await draftFor(first)
  assert.equal(again.status, 'draft')
  assert.equal(again.name, 'Spring (to those who have not opened it)')
  const { subject, body, text, fromName, excludedSegmentIds } = again
  assert.deepEqual({ name: 'Spring', subject, body, text, fromName }, content)
  assert.deepEqual([again.segmentIds.length, excludedSegmentIds], [1, []])
  const segment = await api('GET', `/segments/${again.segmentId}`)
  assert.equal(segment.name, 'Not opened: Spring')
  await eventually('the events are stored', async () => (await members(segment.id)).length === 3)
  assert.deepEqual(await members(segment.id), ['leaves', 'proxied', 'silent'])
  const { recipientsCount, forecast } = await api('GET', `/broadcasts/${again.id}/preflight`)
  assert.deepEqual([recipientsCount, forecast.sendCount], [3, 2])
  assert.deepEqual(
    forecast.skips.map(({ reason, count }: { reason: string; count: number }) => [reason, count]),
    [['unsubscribed_source', 1]],
  )
})

test('mail that a machine alone has opened counts as opened where that is asked for', async () => {
  const strict = await draftFor(first, { machineOpensCount: true })
  const segment = await api('GET', `/segments/${strict.segmentId}`)
  assert.equal(segment.name, 'Not opened, nor by a machine: Spring')
  assert.deepEqual(await members(segment.id), ['leaves', 'silent'])
})

test('made once more it has the same segment, and one of another broadcast with its name has its own', async () => {
  const once = await draftFor(first)
  const { totalItems } = await api('GET', '/segments')
  const twice = await draftFor(first)
  assert.notEqual(once.id, twice.id)
  assert.deepEqual(once.segmentIds, twice.segmentIds)
  assert.equal((await api('GET', '/segments')).totalItems, totalItems)

  const { id } = await api('POST', '/broadcasts', { name: 'SPRING', subject: 'Again', body: BODY })
  await api('POST', `/broadcasts/${id}/send`)
  await arrivedAt(id)
  const other = await draftFor(id)
  const segment = await api('GET', `/segments/${other.segmentId}`)
  assert.equal(segment.name, `Not opened: SPRING (${id})`)
})

test('a long name is cut between two characters', async () => {
  const { id } = await api('POST', '/broadcasts', { name: '🌷'.repeat(100), subject: 'Hi', body: BODY })
  await api('POST', `/broadcasts/${id}/send`)
  await arrivedAt(id)
  const { name, segmentId } = await draftFor(id)
  assert.match(name, /^(🌷)+… \(to those who have not opened it\)$/u)
  assert.match((await api('GET', `/segments/${segmentId}`)).name, /^Not opened: (🌷)+…$/u)
})

test('once its events are no longer kept, nobody can say who has opened it', async () => {
  const { id } = await api('POST', '/broadcasts', { name: 'Long ago', subject: 'Hi', body: BODY })
  await api('POST', `/broadcasts/${id}/send`)
  await arrivedAt(id)
  const pool = createPool({ name: 'sql', url: instance.database.url, max: 1 })
  await queryInScope(pool, '1', {
    text: `update broadcasts set started_at = now() - interval '401 days' where id = $1`,
    values: [id],
  })
  await pool.end()
  const { status, json } = await call('POST', `/broadcasts/${id}/draft-for-unopened`)
  assert.deepEqual([status, json.code, /400 days/.test(json.detail)], [409, 'wrong-status', true])
  const { startedAt, openersKnownUntil } = await api('GET', `/broadcasts/${id}/report`)
  assert.equal(Date.parse(openersKnownUntil) - Date.parse(startedAt), 400 * 86_400_000)
})

test('whoever opens it before the second mail goes out does not get that', async () => {
  const again = await draftFor(first)
  await follow(address('silent'), { kind: 'o', by: PERSON, subject: 'Hello' })
  await eventually('that is known', async () => !(await members(again.segmentId)).includes('silent'))
  await api('POST', `/broadcasts/${again.id}/send`)
  assert.deepEqual(await arrivedAt(again.id), ['proxied'])
})

test('it takes the right to make segments, and an integration that is no more is left out', async () => {
  const { token } = await api('POST', '/auth/tokens', { name: 'drafts', scopes: ['broadcasts:write'] })
  const refused = await send('POST', `${instance.baseUrl}/api/broadcasts/${first}/draft-for-unopened`, { token })
  assert.deepEqual([refused.status, refused.json.code], [403, 'missing-scope'])

  const { id: integrationId } = await api('POST', '/integrations', { name: 'Old', config: relayAt(relay) })
  const { id } = await api('POST', '/broadcasts', { name: 'By another way', subject: 'Hi', body: BODY, integrationId })
  await api('POST', `/broadcasts/${id}/send`)
  await arrivedAt(id)
  await api('DELETE', `/integrations/${integrationId}`)
  assert.equal((await draftFor(id)).integrationId, null)
})

test('each mail of an automation counts who opened and clicked it, people alone, once, and by the time it happened', async () => {
  const mail = (to: string) => ({ type: 'email', subject: `Part ${to}`, body: BODY, to })
  const definition = {
    ...{ format: 1, enter: { on: [{ manual: true }] }, start: 'hello' },
    nodes: { hello: mail('more'), more: mail('end') },
  }
  const { id } = await api('POST', '/automations', { name: 'Welcome', definition })
  await api('POST', `/automations/${id}/activate`)
  const names = ['ada', 'bob', 'cyd', 'gone2']
  const { results } = await api('POST', '/contacts/batch', {
    contacts: names.map((name) => ({ email: address(name) })),
  })
  const contactIds = results.map(({ contactId }: { contactId: string }) => contactId)
  await api('POST', `/automations/${id}/enroll`, { contactIds })
  const mailsAt = async (node: string, last = '') => {
    const { nodes } = await api('GET', `/automations/${id}/counts${last}`)
    return nodes.find((one: { node: string }) => one.node === node)?.mails
  }
  await eventually('all is mailed', async () => {
    const [hello, more] = await Promise.all([mailsAt('hello'), mailsAt('more')])
    return hello?.accepted === 3 && more?.accepted === 3
  })
  await laterOn()
  const first = { by: PERSON, subject: 'Part more' }
  await follow(address('ada'), { kind: 'o', ...first })
  await follow(address('ada'), { kind: 'o', ...first })
  await follow(address('ada'), { kind: 'c', ...first })
  await follow(address('bob'), { kind: 'o', ...first })
  await follow(address('cyd'), { kind: 'o', ...first, by: PROXY })
  await follow(address('cyd'), { kind: 'u', method: 'POST', ...first })
  await follow(address('bob'), { kind: 'o', by: PERSON, subject: 'Part end' })
  const none = { accepted: 3, opened: 0, clicked: 0, unsubscribed: 0, bounced: 1, complained: 0 }
  const [hello, more] = [
    { ...none, opened: 2, clicked: 1, unsubscribed: 1 },
    { ...none, opened: 1, bounced: 0 },
  ]
  await eventually('all of it is judged', async () => {
    const [one, other] = await Promise.all([mailsAt('hello'), mailsAt('more')])
    return one.opened === 2 && one.clicked === 1 && one.unsubscribed === 1 && other.opened === 1
  })
  assert.deepEqual(await mailsAt('hello'), hello)
  const { bounced, ...ofMore } = await mailsAt('more')
  assert.ok(bounced <= 1, 'what came back first may have kept the second mail from going out')
  assert.deepEqual({ ...ofMore, bounced: 0 }, more)
  assert.deepEqual(await mailsAt('hello', '?last=24h'), hello)
})
