import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { eventually } from '../../../test/support/eventually.ts'
import { RECEIVER_CERTIFICATE } from '../../../test/support/receiver-certificate.ts'
import {
  SENDER,
  storeIntegration,
  storeVerifiedDomain,
  testSecrets,
  testSender,
} from '../../../test/support/sending-world.ts'
import { type SmtpTalk, talkTo } from '../../../test/support/smtp-talk.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import type { Scope } from '../../catalogue/scopes.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import type { SmtpListener } from '../../platform/mail/smtp-listener.ts'
import { createGuardParts } from '../auth/guard.ts'
import { NO_LIMITS } from '../auth/limit-requests.ts'
import { makeToken, tokenHash } from '../auth/token-format.ts'
import { eraseEmails } from '../emails/erase-emails.ts'
import { createCompiledCache } from '../templates/compiled-cache.ts'
import { createTemplate } from '../templates/manage-templates.ts'
import { startSubmission } from './submission-listener.ts'
import { CONNECTIONS_MAX, CONNECTIONS_PER_TOKEN, type SubmissionAddress } from './submission-setting.ts'
import { MAIL_BYTES_MAX, RECIPIENTS_MAX, STRANGERS_MAX } from './submission-talk.ts'

const { pool, workspaceId } = await testWorkspace()
const secrets = testSecrets()
const stranger = await createWorkspace(pool)
await storeVerifiedDomain(pool, secrets, { workspaceId })
await storeIntegration(pool, workspaceId, { port: 1 })
await storeVerifiedDomain(pool, secrets, { workspaceId: stranger, domain: 'other.example' })
await queryInScope(pool, workspaceId, {
  text: `insert into sending_domains (workspace_id, domain, next_check_at) values ($1, 'new.example', now() + interval '1 day')`,
  values: [workspaceId],
})

const errors: unknown[] = []
const outcomes: string[] = []
let isAway = false
const sql = new Proxy(pool, {
  get: (target, name) =>
    isAway && name === 'connect' ? () => Promise.reject(new Error('away')) : Reflect.get(target, name, target),
})
const guard = createGuardParts({ sql: pool, limits: { ...NO_LIMITS, api: 10_000 } })
const deps = {
  ...{ sql, guard, sender: testSender(secrets) },
  onSubmission: (outcome: string) => void outcomes.push(outcome),
  onError: (error: unknown) => void errors.push(error),
}
let files: string
let open: SmtpListener
let implicit: SmtpListener
let clear: SmtpListener
let token: string

before(async () => {
  files = await mkdtemp(join(tmpdir(), 'postroom-submission-'))
  const paths = { cert: join(files, 'cert.pem'), key: join(files, 'key.pem') }
  await writeFile(paths.cert, RECEIVER_CERTIFICATE.cert)
  await writeFile(paths.key, RECEIVER_CERTIFICATE.key)
  const start = (address: Partial<SubmissionAddress>, isSecure = true) =>
    startSubmission(deps, {
      address: { host: undefined, port: 0, tls: 'starttls', ...address },
      tls: isSecure ? paths : undefined,
      proxies: undefined,
      connectionsPerToken: CONNECTIONS_PER_TOKEN,
    })
  open = await start({})
  implicit = await start({ tls: 'implicit' })
  clear = await start({ host: '127.0.0.1' }, false)
  token = await storeToken()
})
after(async () => {
  for (const listener of [open, implicit, clear]) await listener.close()
  await guard.stop()
  await rm(files, { recursive: true })
})

async function storeToken(scopes: readonly Scope[] = ['emails:send'], of = workspaceId): Promise<string> {
  const made = makeToken().token
  await queryInScope(pool, of, {
    text: 'insert into api_tokens (workspace_id, name, hash, scopes) values ($1, $2, $3, $4)',
    values: [of, 'mailer', Buffer.from(tokenHash(made), 'hex'), [...scopes]],
  })
  return made
}

type Way = { port?: number; secure?: boolean; user?: string; pass?: string; requireTLS?: boolean }

/** Hands a mail over as Nodemailer does it. */
async function send(mail: SendMailOptions, { port = open.port, user = 'postroom', pass = token, ...way }: Way = {}) {
  const transport = createTransport({
    ...{ host: '127.0.0.1', port, auth: { user, pass }, tls: { rejectUnauthorized: false } },
    ...way,
  })
  try {
    return (await transport.sendMail({ from: SENDER, subject: 'Spring', text: 'Hello', ...mail })).response
  } finally {
    transport.close()
  }
}

const idIn = (response: string) => {
  assert.match(response, /^250 2\.0\.0 Queued \d+$/)
  return response.split(' ').at(-1)!
}
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const messagesTo = (domain: string) =>
  rows<{ id: string; destination: string; state: string; bcc: string; submittedId: string | null }>(
    `select m.id, m.destination, m.state, e.bcc, e.submitted_id as "submittedId" from messages m
     join emails e on e.workspace_id = m.workspace_id and e.message_id = m.id
     where m.workspace_id = $1 and m.destination like '%@' || $2 order by m.id`,
    [domain],
  )
const keptCount = async () => (await rows('select 1 from submitted_mails where workspace_id = $1')).length

/** A client that has logged in where that goes in clear text. */
async function loggedIn(pass = token, port = clear.port): Promise<SmtpTalk> {
  const { talk } = await talkTo(port)
  await talk.say('EHLO client')
  assert.match(await talk.say(`AUTH PLAIN ${btoa(`\0postroom\0${pass}`)}`), /^235 2\.7\.0 /)
  return talk
}

test('each recipient of the envelope gets the bytes that came, in the ledger before the answer', async () => {
  const id = idIn(
    await send({
      to: '"Lovelace, Ada" <Ada@many.example>',
      cc: 'bob@many.example',
      bcc: 'eve@many.example',
      subject: 'Größe',
      html: '<p>Hello</p>',
      attachments: [{ filename: 'ü.txt', content: 'x'.repeat(1_000) }],
    }),
  )
  const messages = await messagesTo('many.example')
  assert.deepEqual(
    messages.map(({ destination, state, bcc }) => [destination, state, JSON.parse(bcc)]),
    [
      ['ada@many.example', 'pending', []],
      ['bob@many.example', 'pending', []],
      ['eve@many.example', 'pending', ['eve@many.example']],
    ],
  )
  assert.equal(messages[0]!.id, id)
  assert.equal(new Set(messages.map(({ submittedId }) => submittedId)).size, 1)
  const [email] = await rows<Record<string, unknown>>(
    'select subject, from_email, destination_name, headers from emails where workspace_id = $1 and message_id = $2',
    [id],
  )
  assert.deepEqual([email?.subject, email?.from_email, email?.destination_name], ['Größe', SENDER, 'Lovelace, Ada'])
  assert.match(String(email?.headers), /^\[\["Message-ID","<[^>]+@sender\.example>"\]\]$/)
  const [audit] = await rows<Record<string, unknown>>(
    `select actor_name, ip, target_id, diff -> 'recipients' -> 'to' as recipients from audit_entries where workspace_id = $1 and action = 'email.send'`,
  )
  assert.deepEqual(audit, {
    actor_name: 'mailer',
    ip: '127.0.0.1',
    target_id: id,
    recipients: '3',
  })
})

test('it takes mail by TLS from the first byte as well, and in clear text from this machine alone', async () => {
  idIn(await send({ to: 'a@ways.example' }, { port: implicit.port, secure: true }))
  idIn(await send({ to: 'b@ways.example' }, { port: clear.port, user: 'w0' }))
  assert.equal((await messagesTo('ways.example')).length, 2)
  // Without a certificate of its own it offers none.
  const { talk } = await talkTo(clear.port)
  assert.doesNotMatch(await talk.say('EHLO client'), /STARTTLS/)
  assert.match(await talk.say('STARTTLS'), /^500 /)
  talk.end()
})

test('nobody is asked for a password before TLS, and a login without one that sends is refused', async () => {
  const { talk, greeting } = await talkTo(open.port)
  assert.match(greeting, /^220 /)
  const offers = await talk.say('EHLO client')
  assert.doesNotMatch(offers, /AUTH/)
  for (const offer of ['STARTTLS', 'PIPELINING', '8BITMIME', 'SMTPUTF8', `SIZE ${MAIL_BYTES_MAX}`]) {
    assert.match(offers, new RegExp(`^250[- ]${offer}$`, 'm'))
  }
  for (const command of ['AUTH PLAIN', `AUTH PLAIN ${btoa(`\0postroom\0${token}`)}`, 'AUTH LOGIN', 'auth login']) {
    assert.equal(await talk.say(command), '530 5.7.0 Must issue a STARTTLS command first')
  }
  assert.equal(await talk.say(`MAIL FROM:<${SENDER}>`), '530 5.7.0 Must issue a STARTTLS command first')
  talk.end()
  const refused = { to: 'x@login.example' }
  for (const way of [
    { pass: 'wrong' },
    { pass: makeToken().token },
    { pass: await storeToken(['contacts:read']) },
    { user: 'w1' },
    { user: 'somebody' },
  ]) {
    await assert.rejects(send(refused, way), /535 5\.7\.8 /, JSON.stringify(way))
  }
  const unknown = await talkTo(clear.port)
  await unknown.talk.say('EHLO client')
  assert.match(await unknown.talk.say(`MAIL FROM:<${SENDER}>`), /^530 5\.7\.0 /)
  for (const code of [535, 535, 421]) {
    assert.match(await unknown.talk.say(`AUTH PLAIN ${btoa('\0postroom\0wrong')}`), new RegExp(`^${code} `))
  }
  assert.equal(await unknown.talk.reply(), 'closed')
  assert.deepEqual(await messagesTo('login.example'), [])
})

test('a token that is revoked takes no more mail on a connection that it has opened', async () => {
  const short = await storeToken()
  const talk = await loggedIn(short)
  assert.match(await talk.say(`MAIL FROM:<${SENDER}>`), /^250 2\.1\.0 /)
  await rows('update api_tokens set revoked_at = now() where workspace_id = $1 and hash = $2', [
    Buffer.from(tokenHash(short), 'hex'),
  ])
  await eventually('the connection is ended', async () => {
    await talk.say('RSET')
    const reply = await talk.say(`MAIL FROM:<${SENDER}>`)
    return reply === '421 4.7.0 The token is no longer valid' || reply === 'closed'
  })
  await assert.rejects(send({ to: 'x@revoked.example' }, { pass: short }), /535/)
})

test('From decides whose mail it is: one address, of a verified domain of the workspace', async () => {
  const to = 'x@from.example'
  await assert.rejects(send({ to, from: 'a@other.example' }), /550 5\.7\.1 From is of other\.example, which is no/)
  await assert.rejects(
    send({ to, from: 'a@new.example' }),
    /550 5\.7\.1 From is of new\.example, which is not verified/,
  )
  // Theirs sends from its own; the envelope's sender may be anybody.
  idIn(await send({ to, from: 'a@other.example' }, { pass: await storeToken(['emails:send'], stranger), user: 'w1' }))
  const raw = (head: string) => ({
    envelope: { from: 'x@elsewhere.example', to },
    raw: `${head}Subject: a\r\n\r\na\r\n`,
  })
  for (const [head, detail] of [
    ['', 'It has no From'],
    [`From: ${SENDER}\r\nFrom: a@other.example\r\n`, 'more than one From'],
    [`From: ${SENDER}, a@other.example\r\n`, 'exactly one address'],
    [`From: "${SENDER}" <a@other.example> <${SENDER}>\r\n`, 'exactly one address'],
    [`From: <@other.example:${SENDER}>\r\n`, 'exactly one address'],
    [`From: ${SENDER}\r\nX-Postroom-Tracking: on\r\n`, 'x-postroom-tracking is no header of ours'],
    [`From: ${SENDER}\r\nX-Postroom-Scheduled-At: tomorrow\r\n`, 'RFC 3339'],
    [`From: ${SENDER}\r\nMessage-ID: <a@b>\r\nMessage-ID: <c@d>\r\n`, 'more than one Message-ID'],
  ] as const) {
    await assert.rejects(send(raw(head)), new RegExp(`55[04] 5\\.\\d\\.\\d .*${detail}`), head)
  }
  idIn(await send(raw(`From: Shop <${SENDER.toUpperCase()}>\r\n`)))
  assert.equal((await messagesTo('from.example')).length, 1)
})

test('a mail that is handed over again gets the first answer and is sent once', async () => {
  const mail = { to: ['a@again.example', 'b@again.example'], messageId: '<1@sender.example>' }
  const first = await send(mail)
  assert.equal(await send(mail), first)
  assert.deepEqual(await Promise.all([send(mail), send({ ...mail, to: mail.to.toReversed() })]), [first, first])
  assert.equal((await messagesTo('again.example')).length, 2)
  assert.notEqual(await send({ ...mail, text: 'Other words' }), first)
  assert.notEqual(await send({ ...mail, to: 'a@again.example' }), first)
  await rows(`update submission_keys set created_at = now() - interval '25 hours' where workspace_id = $1`)
  const nextDay = await send(mail)
  assert.notEqual(nextDay, first)
  assert.equal(await send(mail), nextDay)

  const keyed = (words: string, to = 'c@again.example') =>
    send({ to, text: words, headers: { 'X-Postroom-Idempotency-Key': 'order-4711' } })
  const [one, other] = await Promise.all([keyed('Thank you'), keyed('Thank you')])
  assert.equal(one, other)
  assert.equal(await keyed('Thank you, made anew'), one)
  await assert.rejects(keyed('Thank you', 'd@again.example'), /554 5\.6\.0 Another mail/)
  const nameless = { envelope: { from: SENDER, to: 'e@again.example' }, raw: `From: ${SENDER}\r\n\r\nCron\r\n` }
  assert.notEqual(await send(nameless), await send(nameless))
})

test('one who must not be mailed is in the ledger as such, and the others get the mail', async () => {
  await rows(`insert into suppressions (workspace_id, destination, reason) values ($1, 'no@some.example', 'bounce')`)
  idIn(await send({ to: ['no@some.example', 'yes@some.example'] }))
  assert.deepEqual(
    (await messagesTo('some.example')).map(({ destination, state }) => [destination, state]),
    [
      ['no@some.example', 'suppressed'],
      ['yes@some.example', 'pending'],
    ],
  )
})

test('a mail may ask for a template in the place of its content, and for tracking of that alone', async () => {
  const compiled = createCompiledCache()
  await compiled.compile({ subject: 'x', body: '<p>x</p>', text: null })
  const caller = callerOf(workspaceId)
  const { id } = await createTemplate({ sql: pool, compiled }, caller, {
    ...{ name: 'Receipt', key: 'receipt', subject: 'Order {{ order }}', body: '<p>Thank you, {{ order }}.</p>' },
  })
  const asking = (headers: Record<string, string>) =>
    send({ to: ['a@made.example', 'b@made.example'], cc: 'c@made.example', headers })
  const variables = { order: 'ä-4711', items: [1, 2] }
  const first = idIn(
    await asking({
      'X-Postroom-Template': 'receipt',
      'X-Postroom-Variables': JSON.stringify(variables),
      'X-Postroom-Track': 'opens, clicks',
    }),
  )
  const made = await rows<Record<string, unknown>>(
    `select m.destination, e.template_id as template, e.variables, e.cc, e.further_to as "furtherTo", e.track_opens as opens,
       e.submitted_id as submitted from messages m join emails e on e.workspace_id = m.workspace_id and e.message_id = m.id
     where m.workspace_id = $1 and m.id >= $2 order by m.id`,
    [first],
  )
  assert.deepEqual(
    made.map((one) => ({ ...one, variables: JSON.parse(String(one.variables)) })),
    ['a', 'b', 'c'].map((name) => ({
      ...{
        destination: `${name}@made.example`,
        template: id,
        variables,
        cc: '[]',
        furtherTo: '[]',
        opens: true,
        submitted: null,
      },
    })),
  )
  idIn(await asking({ 'X-Postroom-Template': id }))
  for (const [headers, detail] of [
    [{ 'X-Postroom-Template': 'unknown' }, 'is no template'],
    [{ 'X-Postroom-Template': 'receipt', 'X-Postroom-Variables': '[1]' }, 'one JSON object'],
    // Each of them would be taken in, and fail when it is sent.
    ...['{"a":1,"a":2}', '{"a":1e999}', '{"__proto__":{"a":1}}', String.raw`{"a":"\u0000"}`].map(
      (variables): [Record<string, string>, string] => [
        { 'X-Postroom-Template': 'receipt', 'X-Postroom-Variables': variables },
        'one JSON object',
      ],
    ),
    [{ 'X-Postroom-Template': 'receipt', 'X-Postroom-Track': 'everything' }, 'opens, clicks or both'],
    [{ 'X-Postroom-Track': 'opens' }, 'x-postroom-track needs x-postroom-template'],
  ] as const) {
    await assert.rejects(asking(headers), new RegExp(`554 5\\.6\\.0 .*${detail}`), detail)
  }
})

test('nothing behind a mail is taken for commands, however its lines end', async () => {
  const smuggled = [
    'MAIL FROM:<a@sender.example>',
    'RCPT TO:<victim@smuggled.example>',
    'DATA',
    `From: ${SENDER}`,
    '',
    'Hi',
  ]
  for (const end of ['\n.\n', '\n.\r\n', '\r.\r', '\r\n.\n', '\n\n.\n\n', '\r\n.\r', '\r.\r\n']) {
    const talk = await loggedIn()
    await talk.say(`MAIL FROM:<${SENDER}>`)
    await talk.say('RCPT TO:<a@smuggled.example>')
    assert.match(await talk.say('DATA'), /^354 /)
    const reply = await talk.say(`From: ${SENDER}\r\n\r\nHello${end}${smuggled.join(end.replace('.', ''))}`, '.')
    assert.match(reply, /^554 5\.6\.0 Its lines have to end with CR LF/, JSON.stringify(end))
    assert.match(await talk.say('NOOP'), /^250 /)
    assert.deepEqual(talk.replies, [])
    talk.end()
  }
  assert.deepEqual(await messagesTo('smuggled.example'), [])
})

test('what was said in clear text behind STARTTLS is forgotten', async () => {
  const { talk } = await talkTo(open.port)
  await talk.say('EHLO client')
  talk.socket.write(
    `STARTTLS\r\nEHLO injected\r\nAUTH PLAIN ${btoa(`\0postroom\0${token}`)}\r\nMAIL FROM:<${SENDER}>\r\n`,
  )
  assert.match(await talk.reply(), /^220 /)
  const secured = await talk.secured()
  assert.match(await secured.say(`MAIL FROM:<${SENDER}>`), /^503 /)
  assert.match(await secured.say('EHLO client'), /^250[- ]AUTH PLAIN LOGIN$/m)
  assert.match(await secured.say(`MAIL FROM:<${SENDER}>`), /^530 5\.7\.0 Authentication required/)
  assert.deepEqual(secured.replies, [])
  secured.end()
})

test('mails and recipients beyond the limits are refused, and a part of a mail is none', async () => {
  const talk = await loggedIn()
  assert.match(await talk.say(`MAIL FROM:<${SENDER}> SIZE=${MAIL_BYTES_MAX + 1}`), /^552 5\.3\.4 /)
  assert.match(await talk.say(`MAIL FROM:<${SENDER}> SIZE=${MAIL_BYTES_MAX}`), /^250 /)
  for (let n = 1; n <= RECIPIENTS_MAX; n++)
    assert.match(await talk.say(`RCPT TO:<p${n}@limits.example>`), /^250 2\.1\.5 /)
  assert.match(await talk.say('RCPT TO:<more@limits.example>'), /^452 4\.5\.3 /)
  assert.match(await talk.say('RCPT TO:<"a b"@limits.example>'), /^50[13] 5\.1\.3 |^553 5\.1\.3 /)
  assert.match(await talk.say('DATA'), /^354 /)
  const line = `${'a'.repeat(998)}\r\n`
  talk.socket.write(`From: ${SENDER}\r\n\r\n${line.repeat(Math.ceil(MAIL_BYTES_MAX / line.length))}`)
  assert.match(await talk.say('.'), /^552 5\.3\.4 /)
  // The connection goes on, and is lost in the middle of the next mail.
  await talk.say(`MAIL FROM:<${SENDER}>`)
  await talk.say('RCPT TO:<a@limits.example>')
  await talk.say('DATA')
  const failed = outcomes.filter((outcome) => outcome === 'failed').length
  talk.socket.write(`From: ${SENDER}\r\n\r\nHello\r\n`)
  talk.end()
  await eventually('it is noticed', () => outcomes.filter((outcome) => outcome === 'failed').length > failed)
  errors.length = 0
  assert.deepEqual(await messagesTo('limits.example'), [])
})

test('while the database is away, or a token has no requests left, the sender is told to try again', async () => {
  isAway = true
  await assert.rejects(send({ to: 'x@away.example' }), /451 4\.3\.0 Not now, try again/)
  isAway = false
  assert.equal(errors.splice(0).length, 1)
  const limited = createGuardParts({ sql: pool, limits: { ...NO_LIMITS, api: 1 } })
  const address = { host: '127.0.0.1', port: 0, tls: 'starttls' } as const
  const listener = await startSubmission(
    { ...deps, guard: limited },
    { address, tls: undefined, proxies: true, connectionsPerToken: CONNECTIONS_PER_TOKEN },
  )
  const pass = await storeToken()
  const { talk } = await talkTo(listener.port, 'PROXY TCP4 203.0.113.9 127.0.0.1 40000 587\r\n')
  await talk.say('EHLO client')
  await talk.say(`AUTH PLAIN ${btoa(`\0postroom\0${pass}`)}`)
  await talk.say(`MAIL FROM:<${SENDER}>`)
  await talk.say('RCPT TO:<a@proxied.example>')
  await talk.say('DATA')
  idIn(await talk.say(`From: ${SENDER}`, '', 'Hello', '.'))
  const [audit] = await rows<{ ip: string }>(
    `select ip from audit_entries where workspace_id = $1 order by id desc limit 1`,
  )
  assert.equal(audit?.ip, '203.0.113.9')
  const second = await talk.say(`MAIL FROM:<${SENDER}>`)
  assert.match(second, /^(?:451 4\.7\.1 Too many requests|250 )/)
  if (second.startsWith('250')) {
    await talk.say('RSET')
    assert.match(await talk.say(`MAIL FROM:<${SENDER}>`), /^451 4\.7\.1 /)
  }
  // Between two mails it is told to go, and the server has ended.
  await listener.close()
  assert.match(await talk.reply(), /^421 4\.3\.2 Closing/)
  await limited.stop()
})

test('a mail under way is answered for when the server ends', async () => {
  const address = { host: '127.0.0.1', port: 0, tls: 'starttls' } as const
  const listener = await startSubmission(deps, {
    address,
    tls: undefined,
    proxies: undefined,
    connectionsPerToken: CONNECTIONS_PER_TOKEN,
  })
  const { talk } = await talkTo(listener.port)
  await talk.say('EHLO client')
  await talk.say(`AUTH PLAIN ${btoa(`\0postroom\0${token}`)}`)
  await talk.say(`MAIL FROM:<${SENDER}>`)
  await talk.say('RCPT TO:<a@ending.example>')
  await talk.say('DATA')
  const closed = listener.close()
  idIn(await talk.say(`From: ${SENDER}`, '', 'Hello', '.'))
  talk.end()
  await closed
  assert.equal((await messagesTo('ending.example')).length, 1)
})

test('strangers have their share of the connections, which whoever logs in leaves', async () => {
  const mine = await loggedIn()
  const strangers = await Promise.all(Array.from({ length: STRANGERS_MAX }, () => talkTo(clear.port)))
  for (const { greeting } of strangers) assert.match(greeting, /^220 /)
  const { talk, greeting } = await talkTo(clear.port)
  assert.match(greeting, /^421 .*Too many connections/)
  talk.end()
  assert.match(await mine.say(`MAIL FROM:<${SENDER}>`), /^250 /)
  for (const one of [mine, ...strangers.map((stranger) => stranger.talk)]) one.end()
  await eventually('there is room again', async () => {
    const again = await talkTo(clear.port)
    again.talk.end()
    return again.greeting.startsWith('220')
  })
})

test('a thousand clients that say their first word slowly keep nobody from handing mail over, but those who come after the last place', async () => {
  const address = { host: '127.0.0.1', port: 0, tls: 'starttls' } as const
  const { port, close } = await startSubmission(deps, {
    ...{ address, tls: undefined, proxies: true, connectionsPerToken: CONNECTIONS_PER_TOKEN },
  })
  const of = (n: number) => `PROXY TCP4 198.18.${n >> 8}.${n & 255} 127.0.0.1 40000 587\r\n`
  const mine = (await talkTo(port, of(0))).talk
  await mine.say('EHLO client')
  assert.match(await mine.say(`AUTH PLAIN ${btoa(`\0postroom\0${token}`)}`), /^235 /)
  const slow = await Promise.all(Array.from({ length: CONNECTIONS_MAX - 1 }, (_, n) => talkTo(port, of(n + 1))))
  for (const { greeting, talk } of slow) {
    assert.match(greeting, /^220 /)
    talk.socket.write('EHL')
  }
  const late = await talkTo(port, of(CONNECTIONS_MAX))
  assert.match(late.greeting, /^421 /)
  for (let n = 1; n <= 3; n++) {
    await mine.say(`MAIL FROM:<${SENDER}>`)
    await mine.say(`RCPT TO:<p${n}@slow.example>`)
    await mine.say('DATA')
    idIn(await mine.say(`From: ${SENDER}`, '', `Hello ${n}`, '.'))
  }
  slow.pop()?.talk.end()
  await eventually('one that leaves makes room', async () => {
    const { talk, greeting } = await talkTo(port, of(CONNECTIONS_MAX))
    talk.end()
    return greeting.startsWith('220')
  })
  assert.equal((await messagesTo('slow.example')).length, 3)
  for (const { talk } of [...slow, late]) talk.end()
  mine.end()
  await close()
})

test('a token has its share of the connections and of the room, and gives back what it leaves', async () => {
  const pass = await storeToken()
  const address = { host: '127.0.0.1', port: 0, tls: 'starttls' } as const
  const { port, close } = await startSubmission(deps, {
    ...{ address, tls: undefined, proxies: undefined, connectionsPerToken: 3 },
  })
  const greedy: SmtpTalk[] = []
  while (greedy.length < 3) greedy.push(await loggedIn(pass, port))
  const { talk } = await talkTo(port)
  await talk.say('EHLO client')
  const login = `AUTH PLAIN ${btoa(`\0postroom\0${pass}`)}`
  assert.match(await talk.say(login), /^421 4\.7\.0 Too many connections with this token/)
  assert.equal(await talk.reply(), 'closed')
  idIn(await send({ to: 'others@share.example' }, { port }))
  greedy.pop()!.end()
  await eventually('its connection may be had again', async () => {
    const again = await talkTo(port)
    await again.talk.say('EHLO client')
    const isIn = (await again.talk.say(login)).startsWith('235 ')
    again.talk.end()
    return isIn
  })
  for (const one of greedy) one.end()
  await close()
})

test('the bytes of a mail are kept until the last of its messages is erased', async () => {
  const before = await keptCount()
  idIn(await send({ to: ['a@erased.example', 'b@erased.example'] }))
  const messages = await rows<{ id: string; createdAt: string }>(
    `select id, created_at as "createdAt" from messages where workspace_id = $1 and destination like '%@erased.example' order by id`,
  )
  const erase = (which: typeof messages) =>
    inTransaction(pool, workspaceId, (tx) => eraseEmails(tx, workspaceId, which))
  await erase(messages.slice(0, 1))
  assert.equal(await keptCount(), before + 1)
  assert.deepEqual(
    (await messagesTo('erased.example')).map(({ submittedId }) => submittedId !== null),
    [false, true],
  )
  await erase(messages.slice(1))
  assert.equal(await keptCount(), before)
  idIn(await send({ to: ['c@erased.example', 'd@erased.example'] }))
  const both = await rows<{ id: string; createdAt: string }>(
    `select id, created_at as "createdAt" from messages where workspace_id = $1 and destination ~ '^[cd]@erased.example'`,
  )
  await erase(both)
  assert.equal(await keptCount(), before)
  assert.deepEqual(errors, [])
})
