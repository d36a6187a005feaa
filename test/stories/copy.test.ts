import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startReceiver } from '../support/receiver.ts'
import { relayAt, storeSenderIn } from '../support/sending-world.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

/* A copy for staging, by its front door: nothing that anybody asks of it reaches anybody but the mailbox. */

const ENCRYPTION_KEY = randomBytes(32).toString('base64')
const relay = await startSmtpPeer({ authOptional: true })
const receiver = await startReceiver()
const instance = await startTestedInstance({
  ...{ ENCRYPTION_KEY, POSTROOM_COPY: 'true', MAILBOX_ADDR: '127.0.0.1:0' },
  SYSTEM_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
  SYSTEM_MAIL_FROM: 'postroom@example.com',
})
after(() => Promise.all([instance.close(), relay.close(), receiver.close()]))

const api = async (method: string, path: string, json?: object) => {
  const call = { token: instance.token, ...(json ? { json } : {}) }
  const answer = await send(method, `${instance.baseUrl}/api${path}`, call)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer.json
}
const count = async (text: string) =>
  (await instance.sql<{ n: number }>(`select count(*)::int as n from ${text}`))[0]!.n

test('a copy mails nobody but the mailbox, whatever is asked of it, and calls no endpoint', async () => {
  await storeSenderIn(instance.database.url, ENCRYPTION_KEY)
  await api('POST', '/integrations', { name: 'Relay', isDefault: true, config: relayAt(relay) })
  await api('POST', '/webhooks', { url: receiver.url })
  for (let n = 0; n < 5; n++) {
    await api('POST', '/emails', { destination: `person-${n}@example.com`, subject: 'Hello', text: 'Hello' })
  }
  await eventually('the mailbox has all of it', async () => (await count('caught_mails')) === 5)
  await eventually('all of it counts as sent', async () => (await count(`messages where state = 'accepted'`)) === 5)
  await eventually('the deliveries wait', async () => (await count('delivery_queue')) >= 5)
  assert.deepEqual([relay.messages.length, receiver.requests.length], [0, 0])
})
