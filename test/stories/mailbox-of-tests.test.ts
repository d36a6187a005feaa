import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { freePort, until } from '../support/instance.ts'
import { SmtpTalk } from '../support/smtp-talk.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

const bouncePort = await freePort()
const instance = await startTestedInstance({
  MAILBOX_ADDR: '127.0.0.1:0',
  BOUNCE_ADDR: `127.0.0.1:${bouncePort}`,
  BOUNCE_DOMAIN: 'bounces.example.com',
  LOG_LEVEL: 'error',
})
after(() => instance.close())

test('a program waits for the mail that its test has caused, reads what it says, and deletes it', async () => {
  const api = (method: string, path: string, json?: object) =>
    send(method, instance.baseUrl + path, { token: instance.token, ...(json ? { json } : {}) })
  const to = 'waits@example.com'
  const none = await api('GET', `/api/mailbox/wait?to=${to}&timeoutSeconds=1`)
  assert.equal(none.status, 404)
  const waiting = api('GET', `/api/mailbox/wait?to=${to}&subject=receipt&timeoutSeconds=30`)
  const html = '<p>Hello <a href="https://example.com/?a=1&amp;b=2">read on</a></p>'
  const body = {
    destination: to,
    subject: 'Your receipt',
    html,
    attachments: [{ fileName: 'a.txt', contentType: 'text/plain', content: 'aGk=' }],
  }
  assert.equal((await api('POST', '/api/emails', body)).status, 202)
  const { status, json: caught } = await waiting
  assert.deepEqual([status, caught.subject, caught.recipients, caught.readAt], [200, 'Your receipt', [to], null])
  const { json: mail } = await api('GET', `/api/mailbox/${caught.id}`)
  assert.deepEqual(mail.links, ['https://example.com/?a=1&b=2'])
  assert.match(mail.text, /Hello/)
  assert.equal(mail.to[0].address, to)
  assert.deepEqual(mail.attachments, [{ fileName: 'a.txt', contentType: 'text/plain', contentId: null, sizeBytes: 2 }])
  assert.ok(mail.headers.some(({ name }: { name: string }) => name === 'DKIM-Signature'))
  const { json: list } = await api('GET', `/api/mailbox?to=${to}`)
  assert.deepEqual(
    list.items.map(({ id, readAt }: { id: string; readAt: string }) => [id, readAt]),
    [[caught.id, mail.readAt]],
  )
  assert.equal((await api('GET', `/api/mailbox/wait?to=${to}&after=${caught.id}&timeoutSeconds=1`)).status, 404)
  assert.deepEqual((await api('DELETE', `/api/mailbox?to=${to}`)).json, { deleted: 1 })
  assert.equal((await api('DELETE', `/api/mailbox/${caught.id}`)).status, 404)
})

test('a full mailbox is emptied in steps, and the log accounts for all of them', async () => {
  await instance.sql(`insert into caught_mails (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, bytes)
    select 1, 'a@example.com', array['b@example.com'], case n % 10 when 0 then 'Stays' else 'Goes' end, 'a', 'b', 'mail', 4
    from generate_series(1, 6000) n`)
  const api = (method: string, path: string) => send(method, instance.baseUrl + path, { token: instance.token })
  const { status, json } = await api('DELETE', '/api/mailbox?subject=goes')
  assert.deepEqual([status, json], [200, { deleted: 5_400 }])
  const entries = await instance.sql<{ mails: number }>(
    `select (diff -> 'mails' ->> 'from')::int as mails from audit_entries where action = 'mailbox.clear' and diff -> 'mails' ->> 'from' <> '1'`,
  )
  assert.ok(entries.length >= 3, `${entries.length} steps`)
  assert.equal(
    entries.reduce((sum, { mails }) => sum + mails, 0),
    5_400,
  )
  const { json: left } = await api('GET', '/api/mailbox?limit=1&subject=goes')
  assert.deepEqual(left.items, [])
  assert.deepEqual((await api('DELETE', '/api/mailbox?subject=stays')).json, { deleted: 600 })
})

/** The answer to a message of so many bytes, of which none are sent. */
async function announced(bytes: number): Promise<{ status: number | undefined; detail: string }> {
  const headers = {
    authorization: `Bearer ${instance.token}`,
    'content-type': 'application/json',
    'content-length': String(bytes),
  }
  const asked = request(`${instance.baseUrl}/api/emails`, { method: 'POST', headers })
  asked.flushHeaders()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const { detail } = (await json(answer)) as { detail: string }
  asked.destroy()
  return { status: answer.statusCode, detail }
}

test('a message may have 18 MiB attached, and a body over 25 MiB is refused with the limit', async () => {
  const attached = (bytes: number) => ({
    ...{ destination: 'large@example.com', subject: 'Large', text: 'Large.' },
    attachments: [
      {
        fileName: 'a.bin',
        contentType: 'application/octet-stream',
        content: Buffer.alloc(bytes, 7).toString('base64'),
      },
    ],
  })
  const post = (mail: object) => send('POST', `${instance.baseUrl}/api/emails`, { token: instance.token, json: mail })
  const { status, detail } = await announced(26 * 1024 * 1024)
  assert.deepEqual([status, detail], [413, 'The body may have at most 25 MiB.'])
  assert.equal((await post(attached(18 * 1024 * 1024))).status, 202)
  const path = '/api/mailbox/wait?to=large@example.com&timeoutSeconds=30'
  const arrived = await send('GET', instance.baseUrl + path, { token: instance.token })
  assert.ok(arrived.json.sizeBytes > 24 * 1024 * 1024)
})

/** Bytes to a port, from somebody who is gone once they are written. */
async function sayAndLeave(port: number, text: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  await new Promise((resolve) => socket.write(text, resolve))
  socket.destroy()
}

test('mistakes of clients, those who leave, and receivers that are not there are no error of ours', async () => {
  const { port } = new URL(instance.baseUrl)
  const call = (method: string, path: string, given: object = {}) =>
    send(method, instance.baseUrl + path, { token: instance.token, ...given })
  const refused = [
    await call('GET', '/api/contacts/900000000'),
    await call('PUT', '/api/contacts'),
    await call('GET', '/api/contacts?page=0'),
    await call('POST', '/api/contacts', { body: '{', headers: { 'content-type': 'application/json' } }),
    await call('POST', '/api/contacts', { token: `${instance.token}x`, json: {} }),
    await call('POST', '/site/auth/login', { json: { email: 'nobody@example.com', password: 'wrong' } }),
    await call('GET', '/e/u/nonsense'),
    await call('GET', '/.env'),
  ]
  for (const { status, url } of refused) assert.ok(status >= 400 && status < 500, `${url} ${status}`)
  const auth = `Authorization: Bearer ${instance.token}\r\nHost: localhost\r\n`
  await sayAndLeave(Number(port), '\x16\x03\x01\x02\x00\x01')
  await sayAndLeave(Number(port), 'GET /api/cont')
  await sayAndLeave(Number(port), `GET /api/contacts HTTP/1.1\r\n${auth}\r\n`)
  // Each with a token that has to be looked up, and nobody there when it has been.
  for (let n = 0; n < 20; n++) {
    const token = `unknown-${n}-${'x'.repeat(32)}`
    await sayAndLeave(Number(port), `GET /api/contacts HTTP/1.1\r\n${auth.replace(instance.token, token)}\r\n`)
  }
  for (const [path, type] of [
    ['/api/emails', 'application/json'],
    ['/api/contacts/imports?fileName=a.csv', 'text/csv'],
  ])
    await sayAndLeave(
      Number(port),
      `POST ${path} HTTP/1.1\r\n${auth}Content-Type: ${type}\r\nContent-Length: 9000\r\n\r\n{"a":`,
    )
  for (const said of [
    'junk\r\n',
    'EHLO a.example\r\nMAIL FROM:<>\r\nRCPT TO:<complaints@bounces.example.com>\r\nDATA\r\nFrom: a',
  ])
    await sayAndLeave(bouncePort, said)
  const talk = new SmtpTalk(connect(bouncePort, '127.0.0.1'))
  await talk.reply()
  for (const line of ['EHLO a.example', 'MAIL FROM:<>', 'RCPT TO:<complaints@bounces.example.com>', 'DATA'])
    assert.match(await talk.say(line), /^[23]/, line)
  talk.socket.write('From: a\r\n')
  talk.socket.destroy()
  const url = `http://127.0.0.1:${await freePort()}/`
  assert.equal((await call('POST', '/api/webhooks', { json: { url, eventTypes: ['away'] } })).status, 201)
  assert.equal(
    (await call('POST', '/api/events', { json: { events: [{ action: 'away', subjectId: 'a' }] } })).status,
    204,
  )
  const attempts = async () =>
    (await instance.sql<{ n: number }>('select count(*)::int as n from delivery_attempts'))[0]!.n
  await until('it is tried', async () => (await attempts()) > 0, 60_000)
  assert.equal((await call('GET', '/readyz')).status, 200)
  assert.deepEqual(
    instance
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"error"')),
    [],
  )
})
