import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { deliveryReport } from '../support/delivery-reports.ts'
import { eventually } from '../support/eventually.ts'
import { feedbackReport } from '../support/feedback-reports.ts'
import { send } from '../support/http-client.ts'
import { rowsSpelling } from '../support/search-database.ts'
import { relayAt, storeSenderIn } from '../support/sending-world.ts'
import { type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const ENCRYPTION_KEY = Buffer.alloc(32, 9).toString('base64')
const BOUNCE_DOMAIN = 'bounces.example.com'
const BOUNCE_PORT = 30_000 + (process.pid % 10_000)

let instance: TestedInstance
let relay: SmtpPeer
const envelopes: { from: string; to: string }[] = []
/** Somebody whose server is in no hurry, and what it has yet to answer. */
const SLOW = 'slow@erased.example'
const held: (() => void)[] = []

before(async () => {
  let from = ''
  relay = await startSmtpPeer({
    authOptional: true,
    onMailFrom({ address }, _session, done) {
      from = address
      done()
    },
    onRcptTo({ address }, _session, done) {
      envelopes.push({ from, to: address })
      if (address === SLOW) held.push(done)
      else done()
    },
  })
  instance = await startTestedInstance({ ENCRYPTION_KEY, BOUNCE_DOMAIN, BOUNCE_ADDR: `127.0.0.1:${BOUNCE_PORT}` })
  await storeSenderIn(instance.database.url, ENCRYPTION_KEY)
  const { status, text } = await api('POST', '/integrations', {
    name: 'Relay',
    isDefault: true,
    config: relayAt(relay),
  })
  assert.equal(status, 201, text)
})
after(async () => {
  await instance.close()
  await relay.close()
})

const api = (method: string, path: string, json?: object) =>
  send(method, `${instance.baseUrl}/api${path}`, { token: instance.token, ...(json ? { json } : {}) })
const mail = (destination: string) => api('POST', '/emails', { destination, subject: 'Spring', html: '<p>Hello</p>' })

/** Sends a mail and answers what the relay saw of it. */
async function delivered(destination: string) {
  const { status, json, text } = await mail(destination)
  assert.deepEqual([status, json.status], [202, 'queued'], text)
  const taken = () => relay.messages.find((message) => message.includes(destination))
  await eventually(`${destination} is mailed`, () => taken() !== undefined)
  const returnPath = envelopes.find(({ to }) => to === destination)!.from
  return { id: json.id as string, returnPath, header: taken()!.split('\r\n\r\n', 1)[0]!.replaceAll('\r\n', '\n') }
}

async function comesBack(to: string, raw: Buffer) {
  const transport = createTransport({ host: '127.0.0.1', port: BOUNCE_PORT, ignoreTLS: true })
  await transport.sendMail({ envelope: { from: '', to }, raw })
  transport.close()
}

async function suppressionOf(destination: string) {
  const find = async () => (await api('GET', `/suppressions?destination=${destination}`)).json.items[0]
  await eventually(`${destination} is suppressed`, async () => (await find()) !== undefined)
  return find()
}

test('a mail that comes back stops the next one to its address, and lifting lets them through again', async () => {
  const to = 'gone@receiver.example'
  const { id, returnPath, header } = await delivered(to)
  assert.match(returnPath, /^bounces\+1\.\w+\.[a-z2-7]{20}@bounces\.example\.com$/)
  await comesBack(returnPath, deliveryReport({ to: returnPath, original: `${header}\n\n` }, { recipient: to }))
  const suppression = await suppressionOf(to)
  assert.deepEqual([suppression.reason, suppression.messageId], ['bounce', id])
  const { json: email } = await api('GET', `/emails/${id}`)
  const entry = email.timeline.find(({ type }: { type: string }) => type === 'bounced')
  assert.match(entry.reply, /User unknown/)
  assert.equal((await mail(to)).json.status, 'suppressed')
  assert.match(await instance.metrics(), /^email_send_outcomes_total\{[^}]*status="bounce"[^}]*\} 1$/m)

  assert.equal((await api('DELETE', `/suppressions/${suppression.id}`)).status, 204)
  const again = await mail(to)
  assert.equal(again.json.status, 'queued')
  await eventually('it is mailed again', () => relay.messages.filter((message) => message.includes(to)).length === 2)
})

test('a complaint finds its message by the return path in the header, and stops what comes after', async () => {
  const to = 'angry@receiver.example'
  const { id, header, returnPath } = await delivered(to)
  const fbl = `fbl@${BOUNCE_DOMAIN}`
  const original = `Return-Path: <${returnPath}>\n${header}\n\nHello\n`
  await comesBack(fbl, feedbackReport({ to: fbl, original }))
  const suppression = await suppressionOf(to)
  assert.deepEqual([suppression.reason, suppression.messageId], ['complaint', id])
  assert.equal((await mail(to)).json.status, 'suppressed')
})

test('a report about a mail that we never sent changes nothing', async () => {
  const to = 'victim@receiver.example'
  const { returnPath, header } = await delivered(to)
  const forged = header.replace(/^Message-ID: .*$/im, 'Message-ID: <1.2.aaaaaaaaaaaaaaaaaaaa@sender.example>')
  assert.notEqual(forged, header)
  await comesBack(`fbl@${BOUNCE_DOMAIN}`, feedbackReport({ to: 'fbl@x', original: `${forged}\n\n` }))
  await assert.rejects(
    comesBack(
      returnPath.replace(/\.(\w)/, (_, letter) => `.${letter === '2' ? '3' : '2'}`),
      Buffer.from('x'),
    ),
    /550/,
  )
  assert.equal((await mail(to)).json.status, 'queued')
})

test('who is erased while their mail is at a slow server does not come back with its answer', async () => {
  const { json: early } = await mail(SLOW)
  await eventually('the server has it', () => held.length === 1)
  const { json: person } = await api('POST', '/contacts', { email: SLOW })
  assert.equal((await api('DELETE', `/contacts/${person.id}`)).status, 204)
  const stateOf = async () => {
    const [row] = await instance.sql<{ state: string; stage: string | null }>(
      `select e.state, (select stage from personal_data_sweeps) as stage from erasures e where e.contact_id = $1`,
      [person.id],
    )
    return row!
  }
  await eventually('the sweep has come to its mail', async () => {
    const { state, stage } = await stateOf()
    return stage === 'mail' || state === 'done'
  })
  held[0]!()
  await eventually('its fate is written', async () => (await api('GET', `/emails/${early.id}`)).json.status === 'sent')
  await eventually('the sweep has ended', async () => (await stateOf()).state === 'done', 60_000)
  assert.deepEqual(await rowsSpelling(instance.database.superuserUrl, [SLOW]), [])
})
