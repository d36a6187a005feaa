import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { RECEIVER_CERTIFICATE } from '../../../../test/support/receiver-certificate.ts'
import { type Dialogue, startDialogue } from '../../../../test/support/smtp-dialogue.ts'
import { SMTP_LOGIN, startSmtpPeer } from '../../../../test/support/smtp-peer.ts'
import { PRIVATE_NETWORKS } from '../../../platform/mail/mail-host.ts'
import type { SmtpServer } from '../../../platform/mail/smtp-server.ts'
import { Secret } from '../../../platform/telemetry/secret.ts'
import { SESSION_MESSAGES_MAX } from './session-limit.ts'
import { CONNECTIONS_MAX, createSmtpTransport } from './smtp-transport.ts'
import type { Handing, Transport } from './transport.ts'

const MESSAGE = 'Subject: hi\r\n\r\nhello\r\n'
const login = { username: SMTP_LOGIN.username, password: new Secret(SMTP_LOGIN.password) }
const opened: { close(): void | Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})
function closing<T extends { close(): void | Promise<void> }>(one: T): T {
  opened.push(one)
  return one
}

async function closed(one: { close(): void | Promise<void> }): Promise<void> {
  opened.splice(opened.indexOf(one), 1)
  await one.close()
}

function transportTo(port: number, server: Partial<SmtpServer> = {}): Transport {
  const resolve = async () => ({ outcome: 'resolved' as const, addresses: ['127.0.0.1'] })
  const deps = { allow: PRIVATE_NETWORKS, resolve, trustedCa: RECEIVER_CERTIFICATE.cert, clientName: 'us.example' }
  return closing(createSmtpTransport(deps, { host: 'receiver.example', port, tls: 'none', login: null, ...server }))
}

function handing(more: Partial<Handing> & { to?: readonly string[]; content?: string } = {}): Handing {
  const { to = ['jo@there.example'], content = MESSAGE, ...rest } = more
  const envelope = { from: 'bounce@us.example', to }
  return { envelope, bytes: Buffer.from(content), beforeContent: async () => true, ...rest }
}

const dialogue = async (given?: Dialogue) => closing(await startDialogue(given))
const WAYS = [{ offers: ['PIPELINING', 'SIZE 100000', '8BITMIME'] }, { offers: [] }]

test('messages arrive byte for byte over a few connections that are kept, through TLS and a login', async () => {
  const server = closing(await startSmtpPeer())
  const transport = transportTo(server.port, { tls: 'starttls', login })
  const contents = Array.from(
    { length: 150 },
    (_, n) => `Subject: ${n}\r\n\r\n.hidden\r\n..\r\n.\r\n${'x'.repeat(n)}\r\n`,
  )
  const handovers = await Promise.all(contents.map((content) => transport.send(handing({ content }))))
  assert.ok(handovers.every(({ outcome }) => outcome === 'accepted'))
  assert.deepEqual([...server.messages].sort(), contents.sort())
  // One more where one has had its hundred.
  assert.ok(server.connectionsAccepted <= CONNECTIONS_MAX + 1, `${server.connectionsAccepted} connections`)
  assert.equal(server.logins.length, server.connectionsAccepted)
})

test('sender, recipient and content go in one write where the server takes that, and one by one where not', async () => {
  for (const way of WAYS) {
    const server = await dialogue(way)
    const handover = await transportTo(server.port).send(handing())
    assert.deepEqual(handover, {
      ...{ outcome: 'accepted', providerMessageId: '4F1B2C3D4E' },
      reply: '250 2.0.0 Ok: queued as 4F1B2C3D4E',
    })
    const size = way.offers.length > 0 ? ' SIZE=22' : ''
    assert.deepEqual(server.commands, [
      ...['EHLO us.example', `MAIL FROM:<bounce@us.example>${size}`, 'RCPT TO:<jo@there.example>', 'DATA'],
    ])
    assert.deepEqual(server.contents, [MESSAGE])
  }
})

test('a refusal is told with its phase at each step, and the connection takes the next message', async () => {
  for (const way of WAYS) {
    for (const [phase, step] of [
      ['mail', 'mail'],
      ['rcpt', 'rcpt'],
      ['data', 'data'],
      ['content', 'end'],
    ] as const) {
      let asked = 0
      const once = () => (asked++ === 0 ? '550-5.7.1 Not\r\n550 5.7.1 now' : 'usual')
      const server = await dialogue({ ...way, [step]: once })
      const transport = transportTo(server.port)
      assert.deepEqual(await transport.send(handing()), {
        outcome: 'refused',
        reply: { code: 550, enhanced: '5.7.1', text: 'Not now', phase },
      })
      assert.equal((await transport.send(handing())).outcome, 'accepted', phase)
      // A server that asks for content after it has refused whom it is for gets none of it.
      const contentAsked = phase !== 'content' && phase !== 'data' && way.offers.length > 0
      assert.equal(server.connections, contentAsked ? 2 : 1, phase)
      assert.deepEqual(server.contents, phase === 'content' ? [MESSAGE, MESSAGE] : [MESSAGE])
    }
  }
})

test('421 ends the connection at whatever step it comes, and the next message goes over another', async () => {
  for (const step of ['rcpt', 'data', 'end'] as const) {
    let asked = 0
    const server = await dialogue({ ...WAYS[0], [step]: () => (asked++ === 0 ? '421 4.3.2 closing' : 'usual') })
    const transport = transportTo(server.port)
    const refused = await transport.send(handing())
    assert.ok(refused.outcome === 'refused' && refused.reply.code === 421, step)
    assert.equal((await transport.send(handing())).outcome, 'accepted')
    assert.equal(server.connections, 2)
  }
})

test('421 to the sender, before a recipient is named, sends the message over a new session at once', async () => {
  for (const way of WAYS) {
    let asked = 0
    const server = await dialogue({ ...way, mail: () => (asked++ === 0 ? '421 4.3.2 closing' : 'usual') })
    assert.equal((await transportTo(server.port).send(handing())).outcome, 'accepted')
    assert.deepEqual([server.connections, server.contents.length], [2, 1])
  }
})

test('a server that ends new sessions one after the other is named as what is wrong, in its words', async () => {
  const server = await dialogue({ mail: '421 4.3.2 restarting' })
  assert.deepEqual(await transportTo(server.port).send(handing()), {
    ...{ outcome: 'unsent', cause: 'session_ended' },
    message: 'The server ends its sessions unasked (421 4.3.2 restarting).',
  })
  assert.equal(server.connections, 2)
  // A rate is ours, not the session's: that is told at once, for the pacing to heed.
  const hurried = await dialogue({ mail: '421 4.7.28 too fast, slow down' })
  assert.equal((await transportTo(hurried.port).send(handing())).outcome, 'refused')
  assert.equal(hurried.connections, 1)
})

/** A server that takes so many messages in a session and says `words` at `step` of the next. */
async function fewASession(step: 'mail' | 'rcpt' | 'data' | 'end', few: number, words: string, way = WAYS[0]) {
  const carried = new WeakMap<object, number>()
  let refusals = 0
  const count = (socket: object) => carried.get(socket) ?? 0
  const answer = (at: string) => (_line: string, socket: object) => {
    if (at === step && count(socket) >= few) {
      refusals += 1
      return words
    }
    if (at === 'end') carried.set(socket, count(socket) + 1)
    return 'usual'
  }
  const steps = { mail: answer('mail'), rcpt: answer('rcpt'), data: answer('data'), end: answer('end') }
  const server = await dialogue({ ...way, ...steps })
  return { server, refusals: () => refusals }
}

test('how many messages a session takes is learned, from words or by repetition, and nothing is lost meanwhile', async () => {
  for (const [step, words] of [
    ['mail', '421 4.7.0 closing transmission channel'],
    ['mail', '421 too many messages in this connection'],
    ['mail', '421 Max message per connection reached, closing transmission channel'],
    ['rcpt', '452 4.5.3 Too many recipients in this session'],
    ['data', '451 4.3.0 message limit per session reached'],
    ['end', '421 4.7.0 Too many messages have been sent on this connection'],
    ['end', '550 5.7.0 Too many messages per connection'],
  ] as const) {
    for (const way of WAYS) {
      const { server, refusals } = await fewASession(step, 7, words, way)
      const transport = transportTo(server.port)
      for (let n = 0; n < 70; n += 1) assert.equal((await transport.send(handing())).outcome, 'accepted', words)
      const told = words.includes('closing transmission channel') && !words.includes('Max') ? 2 : 1
      assert.equal(refusals(), told, words)
      assert.equal(server.connections, 10)
      await closed(transport)
      await closed(server)
    }
  }
})

test('many messages at once each reach a server that takes few in a session', async () => {
  const { server, refusals } = await fewASession('mail', 3, '421 4.7.0 too many messages in one connection')
  const transport = transportTo(server.port)
  const handovers = await Promise.all(Array.from({ length: 300 }, () => transport.send(handing())))
  assert.ok(handovers.every(({ outcome }) => outcome === 'accepted'))
  assert.equal(server.contents.length, 300)
  // Each connection that was open before it was learned may have found out by itself.
  assert.ok(refusals() <= CONNECTIONS_MAX, `${refusals()} refusals`)
})

test('a message is not begun before its moment, and one that is withdrawn leaves nothing behind', async () => {
  const server = await dialogue()
  const transport = transportTo(server.port)
  let asked = false
  const beforeContent = async () => {
    asked = server.commands.at(-1) === 'DATA' && server.contents.length === 0
    return false
  }
  assert.deepEqual(await transport.send(handing({ beforeContent })), { outcome: 'withdrawn' })
  assert.ok(asked)
  await assert.rejects(
    transport.send(handing({ beforeContent: () => Promise.reject(new Error('no database')) })),
    /no database/,
  )
  assert.equal((await transport.send(handing())).outcome, 'accepted')
  assert.deepEqual(server.contents, [MESSAGE])
})

test('a connection that breaks before the end of the content is told from one that breaks after it', async () => {
  const hangUp: Dialogue['data'] = (_line, socket) => {
    socket.destroy()
    return undefined
  }
  for (const [step, expected] of [
    ['mail', 'unsent'],
    ['rcpt', 'unsent'],
    ['data', 'unsent'],
    ['end', 'unanswered'],
  ] as const) {
    const server = await dialogue({ [step]: hangUp })
    const handover = await transportTo(server.port).send(handing())
    assert.equal(handover.outcome, expected, step)
    assert.equal('cause' in handover && handover.cause, 'connection_lost')
  }
  // While the message waits for its moment, the server goes.
  const server = await dialogue()
  let gone: (() => void) | undefined
  const handover = transportTo(server.port).send(
    handing({ beforeContent: () => new Promise((resolve) => (gone = () => resolve(true))) }),
  )
  await eventually('the server to wait for content', () => server.commands.at(-1) === 'DATA' && gone !== undefined)
  await closed(server)
  await new Promise(setImmediate)
  gone?.()
  assert.equal((await handover).outcome, 'unsent')
})

test('a server that refuses in the middle of a large content is understood', async () => {
  const server = await dialogue({
    data: (_line, socket) => {
      socket.write('354 go on\r\n')
      setImmediate(() => socket.end('552 5.3.4 too much\r\n'))
      return undefined
    },
  })
  const handover = await transportTo(server.port).send(handing({ content: `a: b\r\n\r\n${'x'.repeat(8_000_000)}\r\n` }))
  assert.deepEqual(handover, {
    outcome: 'refused',
    reply: { code: 552, enhanced: '5.3.4', text: 'too much', phase: 'content' },
  })
})

test('a connection that the server closed while it was idle costs no message', async () => {
  const sockets: { end(): unknown }[] = []
  const server = await dialogue({
    end: (_line, socket) => {
      sockets.push(socket)
      return 'usual'
    },
  })
  const transport = transportTo(server.port)
  for (let n = 0; n < 5; n += 1) {
    assert.equal((await transport.send(handing())).outcome, 'accepted')
    // The hang-up may arrive before the next command or cross it; neither may cost the message.
    if (n % 2 === 0) sockets.at(-1)?.end()
    else await eventually('the hang-up to be sent', () => sockets.at(-1)?.end() !== null)
  }
  assert.equal(server.contents.length, 5)
})

test('where nobody is let in, one login is tried for all that waits, and none again at once', async () => {
  const server = closing(await startSmtpPeer({ authMethods: ['PLAIN'] }))
  const wrong = { ...login, password: new Secret('wrong') }
  const transport = transportTo(server.port, { tls: 'starttls', login: wrong })
  const handovers = await Promise.all(Array.from({ length: 50 }, () => transport.send(handing())))
  handovers.push(await transport.send(handing()))
  for (const handover of handovers) {
    assert.ok(handover.outcome === 'refused' && handover.reply.phase === 'auth' && handover.reply.code === 535)
  }
  assert.equal(server.logins.length, 1)
})

test('a refusal after a login says that we were let in, so that it is about nobody but the recipient', async () => {
  const rcpt: Dialogue['rcpt'] = (line) => (/closed/.test(line) ? '525 5.7.13 User Account Disabled' : 'usual')
  const server = await dialogue({ offers: ['AUTH PLAIN'], rcpt })
  const [within, without] = [transportTo(server.port, { login }), transportTo(server.port)]
  const reply = { code: 525, enhanced: '5.7.13', text: 'User Account Disabled', phase: 'rcpt' }
  const closed = handing({ to: ['closed@there.example'] })
  assert.deepEqual(await within.send(closed), { outcome: 'refused', reply: { ...reply, isLoggedIn: true } })
  assert.deepEqual(await without.send(closed), { outcome: 'refused', reply })
  assert.equal((await within.send(handing())).outcome, 'accepted')
})

test('a server that repeats the login it refuses does not have it shown', async () => {
  const server = await dialogue({ offers: ['AUTH PLAIN'], auth: (line) => `535 5.7.8 no: ${line}` })
  const refused = await transportTo(server.port, { login }).send(handing())
  assert.deepEqual(refused, {
    outcome: 'refused',
    reply: { code: 535, enhanced: '5.7.8', text: 'The server refused the username or the password.', phase: 'auth' },
  })
})

test('each way of not getting in says what it is', async () => {
  const server = await dialogue({ greeting: '554 5.7.1 not you' })
  const greeting = await transportTo(server.port).send(handing())
  assert.deepEqual(greeting, {
    outcome: 'refused',
    reply: { code: 554, enhanced: '5.7.1', text: 'not you', phase: 'greeting' },
  })
  await closed(server)
  const nobody = await transportTo(server.port).send(handing())
  assert.ok(nobody.outcome === 'unsent' && nobody.cause === 'connection_refused')
  const bare = await dialogue()
  const noLogin = await transportTo(bare.port, { login }).send(handing())
  assert.ok(noLogin.outcome === 'refused' && noLogin.reply.phase === 'auth')
  const noTls = await transportTo(bare.port, { tls: 'starttls' }).send(handing())
  assert.ok(noTls.outcome === 'unsent' && /tls/.test(noTls.cause), JSON.stringify(noTls))
  assert.deepEqual(bare.contents, [])
})

test('a server that takes few connections gets few, and every message', async () => {
  let open = 0
  let most = 0
  const server = await dialogue({
    greeting: (_line, socket) => {
      if (open >= 2) return '421 4.7.0 too many connections'
      open += 1
      most = Math.max(most, open)
      socket.once('close', () => (open -= 1))
      return 'usual'
    },
  })
  const transport = transportTo(server.port)
  const handovers = await Promise.all(Array.from({ length: 200 }, () => transport.send(handing())))
  assert.ok(handovers.every(({ outcome }) => outcome === 'accepted'))
  assert.deepEqual([server.contents.length, most], [200, 2])
})

test('a connection ends politely after its messages, and another one goes on', async () => {
  const server = await dialogue()
  const transport = transportTo(server.port)
  for (let n = 0; n < SESSION_MESSAGES_MAX + 1; n += 1) await transport.send(handing())
  assert.equal(server.contents.length, SESSION_MESSAGES_MAX + 1)
  assert.equal(server.connections, 2)
  assert.equal(server.commands.filter((line) => line === 'QUIT').length, 1)
})

test('the first recipient decides; another one that is refused is told of', async () => {
  const rcpt: Dialogue['rcpt'] = (line) => (/bad/.test(line) ? '550 5.1.1 No such user' : 'usual')
  for (const way of WAYS) {
    const server = await dialogue({ ...way, rcpt })
    const transport = transportTo(server.port)
    const some = await transport.send(handing({ to: ['jo@there.example', 'bad@there.example'] }))
    assert.deepEqual(some, {
      ...{ outcome: 'accepted', providerMessageId: '4F1B2C3D4E' },
      reply: '250 2.0.0 Ok: queued as 4F1B2C3D4E (another recipient was refused: 550 5.1.1 No such user)',
    })
    const none = await transport.send(handing({ to: ['bad@there.example', 'jo@there.example'] }))
    assert.ok(none.outcome === 'refused' && none.reply.phase === 'rcpt')
    assert.equal(server.contents.length, 1)
  }
})

test('what the server would not take, or what is no address, is refused without asking', async () => {
  const server = await dialogue({ offers: ['PIPELINING', 'SIZE 1000'] })
  const transport = transportTo(server.port)
  const refusals: [Handing, string][] = [
    [handing({ content: 'x'.repeat(1_001) }), '5.3.4'],
    [handing({ to: ['jö@there.example'] }), '5.6.7'],
    [handing({ content: 'Subject: ü\r\n' }), '5.6.3'],
    [handing({ to: ['jo@there.example>\r\nRCPT TO:<eve@there.example'] }), '5.1.3'],
    [handing({ to: ['jo@there.example', 'eve there.example'] }), '5.1.3'],
    [handing({ envelope: { from: 'a@b.example> SIZE=1\r\nDATA', to: ['jo@there.example'] } }), '5.1.7'],
  ]
  for (const [given, enhanced] of refusals) {
    const handover = await transport.send(given)
    assert.ok(handover.outcome === 'refused' && handover.reply.enhanced === enhanced, enhanced)
  }
  assert.deepEqual(server.commands, ['EHLO us.example'])
  const able = await dialogue({ offers: ['SMTPUTF8', '8BITMIME'] })
  const given = handing({ to: ['jö@there.example'], content: 'Subject: ü\r\n' })
  assert.equal((await transportTo(able.port).send(given)).outcome, 'accepted')
  assert.equal(able.commands[1], 'MAIL FROM:<bounce@us.example> BODY=8BITMIME SMTPUTF8')
})

test('closing lets what is under way end, within its time, and takes nothing more', async () => {
  const server = await dialogue({ end: () => undefined })
  const silent = transportTo(server.port)
  const unanswered = silent.send(handing())
  await eventually('the content to arrive', () => server.contents.length === 1)
  await silent.close(20)
  assert.deepEqual(await unanswered, { outcome: 'unanswered', cause: 'connection_lost' })
  const answering = await dialogue()
  const transport = transportTo(answering.port)
  let begin: ((go: boolean) => void) | undefined
  const underWay = transport.send(
    handing({
      beforeContent: () =>
        new Promise((resolve) => {
          begin = resolve
        }),
    }),
  )
  await eventually('the message to wait', () => begin !== undefined)
  const closed = transport.close()
  begin?.(true)
  assert.equal((await underWay).outcome, 'accepted')
  await closed
  const late = await transport.send(handing())
  assert.ok(late.outcome === 'unsent' && late.cause === 'transport_closed')
})
