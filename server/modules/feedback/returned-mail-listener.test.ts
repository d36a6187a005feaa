import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { deliveryReport } from '../../../test/support/delivery-reports.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { BOUNCE_DOMAIN, feedbackWorld } from '../../../test/support/feedback-world.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { CONNECTIONS_A_CLIENT } from '../auth/connection-shares.ts'
import { type ReturnedMailListener, startReturnedMail } from './returned-mail-listener.ts'

const { pool, workspaceId } = await testWorkspace()
const world = feedbackWorld(pool)
const errors: unknown[] = []
let isAway = false
let listener: ReturnedMailListener

before(async () => {
  const deps = { ...world.deps, bounceDomain: BOUNCE_DOMAIN, onError: (error: unknown) => void errors.push(error) }
  const sql = new Proxy(pool, {
    get: (target, name) =>
      isAway && name === 'connect' ? () => Promise.reject(new Error('away')) : Reflect.get(target, name, target),
  })
  listener = await startReturnedMail({ ...deps, sql }, { host: '127.0.0.1', port: 0 })
})
after(() => listener.close())

async function deliver(to: string | string[], raw: Buffer | string, from = '') {
  const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true })
  try {
    return await transport.sendMail({ envelope: { from, to }, raw })
  } finally {
    transport.close()
  }
}

const report = (to: string, recipient: string) =>
  deliveryReport({ to, original: 'Subject: Spring\n\nHello\n' }, { recipient })

test('a bounce is answered for once it is noted, and while the database is away the sender keeps it', async () => {
  const message = await world.sent(workspaceId, 'smtp@returned.example')
  const bounce = report(message.returnPath, 'smtp@returned.example')
  isAway = true
  await assert.rejects(deliver(message.returnPath, bounce), /451 4\.\d\.\d .*try again/)
  assert.equal(errors.length, 1)
  isAway = false
  assert.match((await deliver(message.returnPath, bounce)).response, /^250 /)
  assert.deepEqual(await world.marks(message), ['bounced'])
})

test('it takes mail for return paths and complaints, and is nobody’s relay', async () => {
  const message = await world.sent(workspaceId, 'relay@returned.example')
  for (const name of ['abuse', 'complaints', 'FBL', 'postmaster'])
    await deliver(`${name}@${BOUNCE_DOMAIN}`, 'Subject: x\n\nx')
  const refused = [
    'ada@example.com',
    `ada@${BOUNCE_DOMAIN}`,
    `abuse@example.com`,
    `abuse@sub.${BOUNCE_DOMAIN}`,
    message.returnPath.replace(BOUNCE_DOMAIN, 'example.com'),
    `"${message.returnPath}"@example.com`,
    `${message.returnPath.split('@')[0]}%example.com@${BOUNCE_DOMAIN}`,
  ]
  for (const to of refused) await assert.rejects(deliver(to, 'Subject: x\n\nx'), /: 5[05][01] 5\.1\./, to)
})

test('a mail to the address in a message’s header unsubscribes whom the message went to, from what it is of', async () => {
  const to = 'enough@returned.example'
  const [row] = await world.scoped<{ id: string }>(
    workspaceId,
    `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination, state, settled_at)
     values ($1, 'marketing', 'broadcast', 1, 1, $2, 'accepted', now()) returning id`,
    [to],
  )
  const message = { workspaceId, messageId: row!.id }
  const address = world.unsubscribeAddresses.of(message)!
  assert.match(address, /^unsubscribe\+[0-9a-z]+\.[0-9a-z]+\.[a-z2-7]{20}@bounces\.example\.com$/)
  for (const spelt of [address, address.toUpperCase()]) {
    await deliver(spelt, 'From: other@elsewhere.example\nSubject: unsubscribe\n\n', 'other@elsewhere.example')
  }
  const stopped = () =>
    world.scoped(workspaceId, 'select destination, sending_source from unsubscribes where workspace_id = $1')
  assert.deepEqual(await stopped(), [{ destination: to, sending_source: 'broadcasts' }])
  assert.deepEqual(world.mails.slice(-2), ['unsubscribed', 'unsubscribed'])
  const forged = address.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@'))
  await assert.rejects(deliver(forged, 'Subject: unsubscribe\n\n'), /550/)
  // Its own return path is another purpose's name.
  const crossed = address.replace('unsubscribe+', 'bounces+')
  await assert.rejects(deliver(crossed, 'Subject: unsubscribe\n\n'), /550/)
})

test('one client takes no more than its share of the connections, and the next is let in when it closes one', async () => {
  const connected = () => {
    const socket = connect(listener.port, '127.0.0.1')
    const greeting = once(socket, 'data').then(([line]) => String(line))
    return { socket, greeting }
  }
  const open = Array.from({ length: CONNECTIONS_A_CLIENT }, connected)
  try {
    for (const { greeting } of open) assert.match(await greeting, /^220 /)
    assert.match(await connected().greeting, /^421 .*Too many connections/)
    open[0]!.socket.destroy()
    await eventually('there is room again', async () => {
      const another = connected()
      open.push(another)
      return (await another.greeting).startsWith('220 ')
    })
  } finally {
    for (const { socket } of open) socket.destroy()
  }
})

test('a mail of megabytes is read at its beginning', async () => {
  const message = await world.sent(workspaceId, 'large@returned.example')
  const large = Buffer.concat([report(message.returnPath, 'large@returned.example'), Buffer.alloc(2_000_000, 'x\n')])
  await deliver(message.returnPath, large)
  assert.deepEqual(await world.marks(message), ['bounced'])
})
