import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

const instance = await startTestedInstance({ MAILBOX_ADDR: '127.0.0.1:0' })
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
