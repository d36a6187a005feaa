import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, afterEach, test } from 'node:test'
import tls from 'node:tls'
import { startDnsAuthority } from '../../../test/support/dns-authority.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { RECEIVER_CERTIFICATE } from '../../../test/support/receiver-certificate.ts'
import { SMTP_LOGIN, type SmtpScript, startScriptedSmtp, startSmtpPeer } from '../../../test/support/smtp-peer.ts'
import { startUnacceptingPort } from '../../../test/support/unaccepting-port.ts'
import { parseNetworks } from '../net/address-guard.ts'
import { createResolver } from '../net/resolver.ts'
import { Secret } from '../telemetry/secret.ts'
import { PRIVATE_NETWORKS } from './mail-host.ts'
import { openSmtp, type SmtpDeps } from './open-smtp.ts'
import type { SmtpServer } from './smtp-server.ts'
import { transact } from './smtp-transaction.ts'

/** For openings that end by themselves; however busy the machine is, they do. */
const DEADLINE_MS = 30_000
/** For those that end at it: what comes before must be done by then. */
const SHORT_MS = 1_500
const NAMED = 'receiver.example'
const authority = await startDnsAuthority()
authority.set(NAMED, { a: ['127.0.0.1'] })
authority.set('other.example', { a: ['127.0.0.1'] })
const deps: SmtpDeps = {
  allow: PRIVATE_NETWORKS,
  resolve: createResolver({ servers: [authority.server] }),
  trustedCa: RECEIVER_CERTIFICATE.cert,
  clientName: 'postroom.example',
}
const login = { username: SMTP_LOGIN.username, password: new Secret(SMTP_LOGIN.password) }
const opened: { close(): void | Promise<void> }[] = []

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})
after(() => authority.close())

function closing<T extends { close(): void | Promise<void> }>(one: T): T {
  opened.push(one)
  return one
}

async function open(server: Partial<SmtpServer> & { port: number }, more: Partial<SmtpDeps> = {}) {
  const given: SmtpServer = { host: NAMED, tls: 'starttls', login, ...server }
  const session = await openSmtp({ ...deps, ...more }, given, { deadlineMs: DEADLINE_MS })
  if (session.outcome === 'open') closing({ close: () => session.wire.destroy() })
  return session
}

const peer = async (...given: Parameters<typeof startSmtpPeer>) => closing(await startSmtpPeer(...given))
const scripted = async (...given: Parameters<typeof startScriptedSmtp>) => closing(await startScriptedSmtp(...given))

/** How an opening of a scripted server ends. */
async function failure(script: SmtpScript, server: Partial<SmtpServer> = {}, deadlineMs = DEADLINE_MS) {
  const { port, lines } = await scripted(script)
  const given: SmtpServer = { host: NAMED, port, tls: 'none', login, ...server }
  const ended = await openSmtp(deps, given, { deadlineMs })
  assert.equal(ended.outcome, 'failed')
  return { ...(ended as Extract<typeof ended, { outcome: 'failed' }>), lines }
}

test('STARTTLS, implicit TLS and clear text each open, as asked for and as nothing else', async () => {
  const offered = await peer()
  const implicit = await peer({ secure: true })
  const clear = await peer({ hideSTARTTLS: true, allowInsecureAuth: true })
  const versions = []
  for (const [server, tls] of [
    [offered, 'starttls'],
    [implicit, 'implicit'],
    [clear, 'none'],
  ] as const) {
    const session = await open({ port: server.port, tls })
    assert.equal(session.outcome, 'open', tls)
    versions.push(session.outcome === 'open' && session.wire.tlsVersion)
    assert.deepEqual(server.logins, [`PLAIN:${SMTP_LOGIN.username}`])
  }
  assert.deepEqual(versions, ['TLSv1.3', 'TLSv1.3', null])
})

test('an opened session takes a message, and goes away when it is closed', async () => {
  const server = await peer()
  const session = await open({ port: server.port })
  assert.equal(session.outcome, 'open')
  if (session.outcome !== 'open') return
  const envelope = { from: 'a@sender.example', to: ['b@there.example'] }
  const bytes = Buffer.from('Subject: hi\r\n\r\nhello\r\n')
  const ending = await transact(session.wire, { envelope, bytes, beforeContent: async () => true })
  assert.equal(ending.outcome, 'accepted')
  assert.match(server.messages[0] ?? '', /hello/)
  session.wire.quit()
  await eventually('the connection to be closed', () => server.connectionsOpen === 0)
})

test('each mechanism that the server offers logs in, and a wrong password is refused by each', async () => {
  for (const mechanism of ['PLAIN', 'LOGIN', 'CRAM-MD5']) {
    const server = await peer({ authMethods: [mechanism] })
    assert.equal((await open({ port: server.port })).outcome, 'open', mechanism)
    assert.deepEqual(server.logins, [`${mechanism}:${SMTP_LOGIN.username}`])
    const wrong = await open({ port: server.port, login: { ...login, password: new Secret('wrong') } })
    assert.equal(wrong.outcome === 'failed' && wrong.code, 'credentials_refused', mechanism)
    assert.match((wrong.outcome === 'failed' && wrong.reply) || '', /^535 /)
  }
})

test('an access token goes by XOAUTH2 even where a password could go, and its refusal is a refusal', async () => {
  const server = await peer({
    authMethods: ['PLAIN', 'XOAUTH2'],
    onAuth(auth, _session, done) {
      if (auth.method === 'XOAUTH2' && auth.accessToken === 'ya29.good') done(null, { user: auth.username ?? '' })
      // The first reply of a foreign server is a challenge, and the refusal only follows.
      else done(null, { data: { status: '401' } } as never)
    },
  })
  const withToken = (token: string) =>
    open({ port: server.port, login: { ...login, password: new Secret(`Bearer ${token}`) } })
  assert.equal((await withToken('ya29.good')).outcome, 'open')
  const wrong = await withToken('ya29.old')
  assert.equal(wrong.outcome === 'failed' && wrong.code, 'credentials_refused', JSON.stringify(wrong))
})

test('a server that takes mail without a login is opened without one', async () => {
  const server = await peer({ authOptional: true })
  assert.equal((await open({ port: server.port, login: null })).outcome, 'open')
  assert.deepEqual(server.logins, [])
})

test('where STARTTLS is not offered, or was stripped on the way, no login is tried and nothing is said in clear', async () => {
  const without = await peer({ hideSTARTTLS: true, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] })
  const refused = await open({ port: without.port })
  assert.equal(refused.outcome === 'failed' && refused.code, 'starttls_not_offered')
  assert.deepEqual(without.logins, [])
  // An answer that hides the offer, and one that pretends that the upgrade fails.
  for (const reply of ['502 5.5.1 no such command', '454 4.7.0 TLS not available']) {
    const stripped = await failure(
      (line) => {
        if (line === '') return '220 mx.example ESMTP'
        return line.startsWith('EHLO') ? '250-mx.example\r\n250 AUTH PLAIN LOGIN' : reply
      },
      { tls: 'starttls' },
    )
    assert.deepEqual([stripped.phase, stripped.code, stripped.reply], ['tls', 'starttls_not_offered', reply])
    assert.deepEqual(stripped.lines, ['EHLO postroom.example', 'STARTTLS'])
  }
})

test('what was sent in clear behind the answer to STARTTLS is not believed', async () => {
  const injected = await failure(
    (line, socket) => {
      if (line === '') return '220 mx.example ESMTP'
      if (line.startsWith('EHLO')) return '250-mx.example\r\n250 STARTTLS'
      if (line === 'STARTTLS') {
        socket.write('220 go on\r\n250-injected\r\n250 AUTH PLAIN\r\n235 welcome\r\n')
      }
      return undefined
    },
    { tls: 'starttls' },
  )
  assert.equal(injected.phase, 'tls')
  assert.ok(!injected.lines.some((line) => line.startsWith('AUTH')))
})

test('half a reply behind the answer to STARTTLS ends the opening before a handshake begins', async () => {
  for (const behind of ['250-in', '250-in\r\n', '2', '250 Ok\r\n']) {
    const injected = await failure(
      (line, socket) => {
        if (line === '') return '220 mx.example ESMTP'
        if (line.startsWith('EHLO')) return '250-mx.example\r\n250 STARTTLS'
        socket.write(`220 go on\r\n${behind}`)
        return undefined
      },
      { tls: 'starttls' },
    )
    assert.deepEqual([injected.code, injected.lines], ['tls_failed', ['EHLO postroom.example', 'STARTTLS']], behind)
  }
})

test('what a server offers before TLS counts for nothing behind it', async () => {
  const heard: string[] = []
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined).write('220 mx.example\r\n')
    socket.on('data', function onClear(line) {
      if (String(line).startsWith('EHLO')) return socket.write('250-mx.example\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n')
      socket.off('data', onClear).write('220 go on\r\n')
      const secured = new tls.TLSSocket(socket, { isServer: true, ...RECEIVER_CERTIFICATE })
      return secured
        .on('error', () => undefined)
        .on('data', (said) => {
          heard.push(String(said))
          secured.write('250 mx.example\r\n')
        })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closing({ close: () => void server.close() })
  const ended = await open({ port: (server.address() as net.AddressInfo).port })
  assert.equal(ended.outcome === 'failed' && ended.code, 'auth_not_offered')
  assert.deepEqual(heard, ['EHLO postroom.example\r\n'])
})

test('a server that answers before it is asked is left, and one that greets in pieces is not', async () => {
  const eager = await failure((line) =>
    line === '' ? '220 mx.example\r\n250-mx.example\r\n250 AUTH PLAIN' : undefined,
  )
  assert.deepEqual([eager.code, eager.lines], ['not_smtp', []])
  const slow = await scripted((line, socket) => {
    if (line !== '') return line.startsWith('AUTH') ? '235 welcome' : '250-mx.example\r\n250 AUTH=LOGIN PLAIN'
    const pieces = ['22', '0-mx.exa', 'mple\r', '\n220-second\r\n220', ' third\r', '\n']
    const timer = setInterval(() => (pieces.length > 0 ? socket.write(pieces.shift()!) : clearInterval(timer)), 5)
    return undefined
  })
  assert.equal((await open({ port: slow.port, tls: 'none' })).outcome, 'open')
})

test('a server that knows no EHLO is greeted by HELO, where neither TLS nor a login is needed', async () => {
  const old: SmtpScript = (line) => {
    if (line === '') return '220 mx.example'
    return line.startsWith('HELO') ? '250 mx.example' : '502 5.5.1 what?'
  }
  const { port, lines } = await scripted(old)
  assert.equal((await open({ port, tls: 'none', login: null })).outcome, 'open')
  assert.deepEqual(lines, ['EHLO postroom.example', 'HELO postroom.example'])
  assert.equal((await failure(old)).code, 'auth_not_offered')
  const strict = await failure(old, { tls: 'starttls' })
  assert.deepEqual([strict.code, strict.lines], ['ehlo_refused', ['EHLO postroom.example']])
})

test('a certificate for another name, and one that nobody vouches for, end in the TLS phase', async () => {
  for (const secure of [false, true]) {
    const server = await peer({ secure })
    const tls = secure ? 'implicit' : 'starttls'
    const wrongName = await open({ port: server.port, tls, host: 'other.example' })
    const literal = await open({ port: server.port, tls, host: '127.0.0.1' })
    const { trustedCa: _, ...withoutCa } = deps
    const given: SmtpServer = { host: NAMED, port: server.port, tls, login }
    const untrusted = await openSmtp(withoutCa, given, { deadlineMs: DEADLINE_MS })
    assert.deepEqual(
      [wrongName, literal, untrusted].map((one) => one.outcome === 'failed' && [one.phase, one.code]),
      [
        ['tls', 'certificate_wrong_name'],
        ['tls', 'certificate_wrong_name'],
        ['tls', 'certificate_untrusted'],
      ],
      tls,
    )
    assert.deepEqual(server.logins, [])
  }
})

test('the wrong TLS mode of a port is told as such', async () => {
  const starttls = await peer()
  const implicit = await peer({ secure: true })
  const tooEarly = await open({ port: starttls.port, tls: 'implicit' })
  assert.equal(tooEarly.outcome === 'failed' && tooEarly.code, 'tls_failed')
  const silent = await openSmtp(
    deps,
    { host: NAMED, port: implicit.port, tls: 'starttls', login },
    { deadlineMs: SHORT_MS },
  )
  assert.equal(silent.outcome === 'failed' && silent.code, 'greeting_timeout')
})

test('a greeting that refuses, is none, or never comes ends the opening with its reason', async () => {
  const refused = await failure((line) => (line === '' ? '554 5.7.1 no service for you' : undefined))
  assert.deepEqual(
    [refused.phase, refused.code, refused.reply],
    ['greeting', 'greeting_refused', '554 5.7.1 no service for you'],
  )
  const http = await failure((line) => (line === '' ? 'HTTP/1.1 400 Bad Request' : undefined))
  assert.deepEqual([http.code, http.reply], ['not_smtp', null])
  const endless = await failure((line, socket) => {
    if (line === '') for (let n = 0; n < 100; n += 1) socket.write(`220-${'x'.repeat(1_000)}\r\n`)
    return undefined
  })
  assert.equal(endless.code, 'not_smtp')
  assert.equal((await failure(() => undefined, {}, SHORT_MS)).code, 'greeting_timeout')
  const gone = await failure((_line, socket) => {
    socket.end()
    return undefined
  })
  assert.equal(gone.code, 'connection_closed')
})

test('a server that answers drop by drop, or falls silent half-way, is left at the deadline', async () => {
  const dripping = await failure(
    (line, socket) => {
      if (line === '') return '220 mx.example ESMTP'
      const timer = setInterval(() => socket.write('2'), 50)
      socket.once('close', () => clearInterval(timer))
      return undefined
    },
    {},
    SHORT_MS,
  )
  assert.deepEqual([dripping.phase, dripping.code], ['ehlo', 'ehlo_timeout'])
  const silent = await failure(
    (line) => {
      if (line === '') return '220 mx.example ESMTP'
      return line.startsWith('EHLO') ? '250-mx.example\r\n250 AUTH PLAIN' : undefined
    },
    {},
    SHORT_MS,
  )
  assert.deepEqual([silent.phase, silent.code], ['auth', 'auth_timeout'])
  const halfTls = await failure(
    (line) => {
      if (line === '') return '220 mx.example ESMTP'
      if (line.startsWith('EHLO')) return '250-mx.example\r\n250 STARTTLS'
      // A handshake may hold the end of a line.
      return line === 'STARTTLS' ? '220 go on' : undefined
    },
    { tls: 'starttls' },
    SHORT_MS,
  )
  assert.deepEqual([halfTls.phase, halfTls.code], ['tls', 'tls_timeout'])
})

test('a refused EHLO, a login that is not offered and one that is not for now are told apart', async () => {
  const refused = await failure((line) => (line === '' ? '220 mx.example' : '550 5.7.1 go away'))
  assert.deepEqual([refused.phase, refused.code], ['ehlo', 'ehlo_refused'])
  const greeted: SmtpScript = (line) => (line === '' ? '220 mx.example' : '250 mx.example')
  const none = await failure(greeted)
  assert.equal(none.code, 'auth_not_offered')
  assert.ok(!none.lines.some((line) => line.startsWith('AUTH')))
  const later = await failure((line) => {
    if (line === '') return '220 mx.example'
    return line.startsWith('EHLO') ? '250-mx.example\r\n250 AUTH PLAIN' : '454 4.7.0 later'
  })
  assert.deepEqual([later.code, later.reply], ['auth_unavailable', '454 4.7.0 later'])
})

test('a host that does not exist, is not looked up, or does not listen is told as such', async () => {
  authority.set('broken.example', { failure: 'SERVFAIL' })
  authority.set('mute.example', { silent: true })
  const closed = await scripted(() => undefined)
  await closed.close()
  opened.splice(opened.indexOf(closed), 1)
  const code = async (server: Partial<SmtpServer>) => {
    const given: SmtpServer = { host: NAMED, port: closed.port, tls: 'none', login, ...server }
    const ended = await openSmtp(deps, given, { deadlineMs: SHORT_MS })
    return ended.outcome === 'failed' && ended.code
  }
  const unaccepting = closing(await startUnacceptingPort())
  assert.deepEqual(
    [
      await code({ host: 'missing.example' }),
      await code({ host: 'broken.example' }),
      await code({ host: 'mute.example' }),
      await code({}),
      await code({ host: '127.0.0.1', port: unaccepting.port }),
    ],
    ['host_not_found', 'host_lookup_failed', 'host_lookup_timeout', 'connection_refused', 'connection_timeout'],
  )
})

test('addresses of credentials and links are never connected to, private ones only where they are allowed', async () => {
  const server = await peer({ authOptional: true })
  authority.set('metadata.example', { a: ['127.0.0.1', '169.254.169.254'] })
  const refusedAlways = [
    '169.254.169.254',
    '100.100.100.200',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '169.254.1.1',
    'fe80::1',
    '0.0.0.0',
    '224.0.0.1',
    'metadata.example',
  ]
  const everything = parseNetworks('0.0.0.0/1, 128.0.0.0/1, ::/1, 8000::/1')
  for (const allow of [PRIVATE_NETWORKS, everything, parseNetworks('169.254.0.0/16')]) {
    for (const host of refusedAlways) {
      const ended = await open({ host, port: server.port, tls: 'none' }, { allow })
      assert.equal(ended.outcome === 'failed' && ended.code, 'address_refused', host)
    }
  }
  const closedOff = await open({ port: server.port, tls: 'none', login: null }, { allow: parseNetworks('10.0.0.0/8') })
  assert.equal(closedOff.outcome === 'failed' && closedOff.code, 'address_refused')
  assert.equal(server.connectionsAccepted, 0)
  assert.equal((await open({ port: server.port, tls: 'none', login: null })).outcome, 'open')
})

test('a name that flips after it was judged changes nothing: the judged address is connected to', async () => {
  const server = await peer({ authOptional: true })
  let asked = 0
  authority.set('flip.example', ({ type }) =>
    type === 'A' ? { a: [asked++ === 0 ? '127.0.0.1' : '169.254.169.254'] } : {},
  )
  const session = await open({ host: 'flip.example', port: server.port, tls: 'none', login: null })
  assert.equal(session.outcome, 'open')
  assert.equal(asked, 1)
})
