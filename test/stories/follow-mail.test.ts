import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { authenticate } from 'mailauth'
import PostalMime, { type Email } from 'postal-mime'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { relayAt, SENDER_DOMAIN, storeSenderIn } from '../support/sending-world.ts'
import { type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const ENCRYPTION_KEY = Buffer.alloc(32, 9).toString('base64')
const PEOPLE = 12
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  accept: 'text/html,application/xhtml+xml',
  'accept-language': 'en',
  'sec-fetch-mode': 'navigate',
  'x-forwarded-for': '203.0.113.9',
}
const SCANNER = { 'user-agent': 'BarracudaCentral/1.0', accept: '*/*', 'x-forwarded-for': '198.51.100.7' }
const BODY = `<html><body><p>Hello {{ first_name }}</p>
<a href="https://shop.example/spring?who={{ email }}">Shop</a> <a href="https://shop.example/about">About</a>
<a href="{{ unsubscribe_url }}">Unsubscribe</a> <a href="{{ preferences_url }}">Preferences</a></body></html>`

let instance: TestedInstance
let relay: SmtpPeer
let receiver: Receiver
let dkimRecord = ''

before(async () => {
  relay = await startSmtpPeer({ authOptional: true })
  receiver = await startReceiver()
  instance = await startTestedInstance({ ENCRYPTION_KEY, TRUST_PROXY: '127.0.0.1' })
  const publicKey = await storeSenderIn(instance.database.url, ENCRYPTION_KEY)
  dkimRecord = `v=DKIM1; k=rsa; p=${publicKey}`
  await api('POST', '/integrations', { name: 'Relay', isDefault: true, config: relayAt(relay) })
  await api('POST', '/webhooks', { url: `${receiver.url}/hook` })
})
after(async () => {
  await instance.close()
  await relay.close()
  await receiver.close()
})

async function api(method: string, path: string, json?: object) {
  const answer = await send(method, `${instance.baseUrl}/api${path}`, {
    token: instance.token,
    ...(json ? { json } : {}),
  })
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.json
}

/** Links lead to the public address; here that is the instance's own. */
const local = (url: string) => instance.baseUrl + new URL(url).pathname
const follow = (url: string, headers: Record<string, string>, method = 'GET') => send(method, local(url), { headers })

type Mail = { to: string; raw: string; email: Email; links: string[]; oneClick: string; pixel: string }
async function mails(): Promise<Mail[]> {
  return Promise.all(
    relay.messages.map(async (raw) => {
      const email = await PostalMime.parse(raw)
      const found = [...(email.html ?? '').matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url]) => url!)
      const header = email.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''
      return {
        to: email.to?.[0]?.address ?? '',
        raw,
        email,
        links: found.filter((url) => url.includes('/e/')),
        oneClick: header.slice(1, -1),
        pixel: found.find((url) => url.includes('/e/o/')) ?? '',
      }
    }),
  )
}
const arrived = (count: number) => eventually(`${count} mails arrive`, () => relay.messages.length >= count)

async function broadcast(name: string): Promise<string> {
  const { id } = await api('POST', '/broadcasts', { name, subject: name, body: BODY })
  await api('POST', `/broadcasts/${id}/send`)
  return id
}
const told = (type: string) =>
  receiver.requests.map(({ body }) => JSON.parse(body.toString())).filter((event) => event.type === type)
const unsubscribed = async () =>
  (await api('GET', '/unsubscribes?pageSize=100')).items.map(({ destination }: { destination: string }) => destination)

test('a broadcast’s mails are signed with their unsubscribe headers, looked at by scanners, opened, clicked and left', async () => {
  const contacts = Array.from({ length: PEOPLE }, (_, n) => ({ email: `p${n}@receiver.example`, firstName: `P${n}` }))
  await api('POST', '/contacts/batch', { contacts })
  const id = await broadcast('Spring')
  await arrived(PEOPLE)
  const all = await mails()
  for (const { email, raw, oneClick, links } of all) await assertOneClick(email, { raw, oneClick, links })

  for (const { links, oneClick } of all) {
    const urls = [...links, oneClick]
    const looks = urls.flatMap((url) => [follow(url, SCANNER), follow(url, SCANNER, 'HEAD')])
    for (const { status } of await Promise.all(looks)) assert.ok(status === 200 || status === 302)
  }
  assert.deepEqual(await unsubscribed(), [])

  // Some time later than the scanners.
  await instance.sql(`update messages set settled_at = settled_at - interval '1 hour'`)
  const [ada, bob] = all as [Mail, Mail]
  await follow(ada.pixel, { ...BROWSER, accept: 'image/*' })
  const shop = ada.links.find((url) => url.includes('/e/c/'))!
  const { headers } = await send('GET', local(shop), { headers: BROWSER })
  assert.equal(headers.location, `https://shop.example/spring?who=${ada.to}`)

  const post = { body: 'List-Unsubscribe=One-Click', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  const answer = await send('POST', local(bob.oneClick), post)
  assert.deepEqual([answer.status, answer.headers.location, answer.headers['set-cookie']], [200, undefined, undefined])
  assert.deepEqual(await unsubscribed(), [bob.to])
  await eventually('the unsubscribe is told', () => told('email.unsubscribed').length === 1)
  const [{ data }] = told('email.unsubscribed')
  assert.deepEqual([data.email, data.sendingSource, String(data.broadcastId)], [bob.to, 'broadcasts', id])

  await broadcast('Summer')
  await arrived(2 * PEOPLE - 1)
  const summer = (await mails()).filter(({ email }) => email.subject === 'Summer')
  assert.equal(summer.length, PEOPLE - 1)
  assert.ok(!summer.some(({ to }) => to === bob.to))

  const humans = (type: string) => told(type).filter((event) => event.data.machine === false)
  const isTold = () => humans('email.clicked').length > 0 && humans('email.opened').length > 0
  await eventually('the hits are judged and told', isTold)
  assert.deepEqual(
    humans('email.clicked').map((event) => [event.data.email, event.data.url]),
    [[ada.to, `https://shop.example/spring?who=${ada.to}`]],
  )
  assert.deepEqual(
    humans('email.opened').map((event) => event.data.email),
    [ada.to],
  )
  const report = await api('GET', `/broadcasts/${id}/report`)
  const { acceptedCount, openedCount, clickedCount, unsubscribedCount } = report
  assert.deepEqual([acceptedCount, openedCount, clickedCount, unsubscribedCount], [PEOPLE, 1, 1, 1])
})

/** RFC 8058: one https or http address, the Post header beside it, both in the signature, which holds. */
async function assertOneClick(email: Email, { raw, oneClick, links }: Pick<Mail, 'raw' | 'oneClick' | 'links'>) {
  const header = (name: string) => email.headers.filter(({ key }) => key === name).map(({ value }) => value)
  assert.equal(header('list-unsubscribe').length, 1)
  assert.match(oneClick, /^http:\/\/[^,<>\s]+\/e\/u\/[\w-]+$/)
  assert.deepEqual(header('list-unsubscribe-post'), ['List-Unsubscribe=One-Click'])
  assert.ok(
    links.some((url) => url === oneClick),
    'the page behind the link in the text is the same',
  )
  const signed = /h=([^;]+);/.exec(header('dkim-signature')[0]!.replaceAll(/\s/g, ''))![1]!.toLowerCase().split(':')
  assert.ok(signed.includes('list-unsubscribe') && signed.includes('list-unsubscribe-post'))
  const { dkim } = await authenticate(raw, {
    ip: '192.0.2.1',
    disableArc: true,
    disableDmarc: true,
    disableBimi: true,
    async resolver(name) {
      if (name === `test._domainkey.${SENDER_DOMAIN}`) return [[dkimRecord.slice(0, 200), dkimRecord.slice(200)]]
      throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
    },
  })
  assert.deepEqual(
    dkim.results.map(({ status }) => status.result),
    ['pass'],
  )
}

test('with double opt-in a new contact is asked, and gets broadcasts once they have confirmed', async () => {
  await api('PATCH', '/sending-settings', { doubleOptIn: true })
  const before = relay.messages.length
  const { id } = await api('POST', '/contacts', { email: 'new@receiver.example' })
  await arrived(before + 1)
  const question = (await mails()).find(({ to }) => to === 'new@receiver.example')!
  const [url = ''] = /http:\S+\/e\/confirm\/\S+/.exec(question.email.text ?? '') ?? []
  assert.equal((await follow(url, SCANNER)).status, 200)
  assert.equal(question.oneClick, '', 'a question is no marketing mail')
  assert.deepEqual(told('marketing.confirmed'), [])
  await send('POST', local(url))
  await eventually('the confirmation is told', () => told('marketing.confirmed').length === 1)
  const { items } = await api('GET', `/contacts/${id}/consents`)
  assert.deepEqual(
    items.map(({ change }: { change: string }) => change),
    ['confirmed', 'requested'],
  )
  const consented = () => instance.sql<{ n: number }>('select count(*)::int as n from contact_consents')
  await eventually('who was there before has agreed', async () => (await consented())[0]!.n === PEOPLE + 1)
  const silent = 'silent@receiver.example'
  await api('POST', '/contacts', { email: silent })
  await broadcast('Autumn')
  const autumn = async () => (await mails()).filter(({ email }) => email.subject === 'Autumn').map(({ to }) => to)
  await eventually('everybody who agreed is mailed', async () => (await autumn()).length === PEOPLE)
  const got = await autumn()
  assert.ok(got.includes('new@receiver.example') && !got.includes(silent))
})
