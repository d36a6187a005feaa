import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import manifest from '../../package.json' with { type: 'json' }
import { SCOPES } from '../../server/catalogue/scopes.ts'
import { main } from '../../server/cli/main.ts'
import { send } from '../support/http-client.ts'
import { until } from '../support/instance.ts'
import { type Ended, runPostroom } from '../support/postroom-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const COMMANDS_AT_ONCE = 3
const DONE_WITHIN_MS = 60_000
const COMMANDS = [
  'start',
  'migrate',
  'token create',
  'token list',
  'token revoke',
  'workspace list',
  'workspace rename',
  'workspace create',
  'user create',
  'user reset-link',
  'user reset-second-factor',
  'automation list',
  'automation show',
  'automation pause',
  'automation resume',
  'automation explain',
  'automation doctor',
  'mail list',
  'mail show',
  'message list',
  'message explain',
  'outbox parked',
  'outbox replay',
  'webhook list',
  'webhook create',
  'webhook deliveries',
  'webhook resend',
  'webhook recover',
  'webhook test',
  'webhook secret',
  'audit verify',
  'audit export',
  'version',
]

let instance: TestedInstance
let receiver: Receiver
let settings: Record<string, string>

before(async () => {
  receiver = await startReceiver()
  const key = Buffer.alloc(32, 7).toString('base64')
  instance = await startTestedInstance({ ENCRYPTION_KEY: key })
  settings = { DATABASE_URL: instance.database.url, ENCRYPTION_KEY: key, WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' }
})
after(async () => {
  await instance.close()
  await receiver.close()
})

const postroom = (...args: string[]) => runPostroom(args, settings)

/** Runs the work for every item, some at the same time. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: COMMANDS_AT_ONCE }, worker))
}

/** The output of a command that went well. */
async function output(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await postroom(...args)
  assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  return stdout
}

function isRefusedInOneLine({ code, stdout, stderr }: Ended, message: RegExp): void {
  assert.equal(code, 1)
  assert.match(stderr, /^postroom: [^\n]+\n$/)
  assert.match(stderr, message)
  assert.equal(stdout, '')
}

const call = (method: string, path: string, json?: object, token = instance.token) =>
  send(method, instance.baseUrl + path, { token, ...(json ? { json } : {}) })

async function endpointAt(path: string, eventTypes: string[]) {
  const { status, json } = await call('POST', '/api/webhooks', { url: receiver.url + path, eventTypes })
  assert.equal(status, 201)
  return json
}

const arrived = (path: string, count = 1) =>
  receiver.waitFor((requests) => requests.filter((one) => one.path === path).length >= count, DONE_WITHIN_MS)

const lastAt = (path: string) => receiver.requests.findLast((request) => request.path === path)

/** Rows of a printed table by the words of its heading. */
function rowsOf(table: string): Record<string, string>[] {
  const [heading = '', ...lines] = table.trimEnd().split('\n')
  const columns = [...heading.matchAll(/\S+\s*/g)].map(({ 0: text, index }) => ({ name: text.trim(), index }))
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ name, index }, place) => [name, line.slice(index, columns[place + 1]?.index).trim()]),
    ),
  )
}

test('every command explains itself', async (t) => {
  const general = await output('--help')
  for (const command of new Set(COMMANDS.map((name) => name.split(' ')[0]!)))
    assert.match(general, new RegExp(`^  ${command}\\b`, 'm'))
  // Words alone need no process of their own for each.
  const written: string[] = []
  const write = t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
  const texts = new Map<string, string>()
  for (const command of COMMANDS) {
    assert.equal(await main([...command.split(' '), '--help']), 0)
    texts.set(command, written.splice(0).join(''))
  }
  write.mock.restore()
  for (const [command, text] of texts) {
    assert.match(text, new RegExp(`^Usage: postroom ${command}\\b`))
    const [, description = ''] = text.split('\n\n')
    assert.ok(description.trim().length > 10, command)
  }
})

test('the first line of the program is no longer than Linux before 5.1 reads', async () => {
  const [first = ''] = (await readFile(new URL('../../bin/postroom.js', import.meta.url), 'utf8')).split('\n')
  assert.match(first, /^#!\/usr\/bin\/env -S .{1,109}$/)
})

test('the version is printed, also through npx', async () => {
  const line = `postroom ${manifest.version}\n`
  assert.equal(await output('version'), line)
  assert.equal(await output('--version'), line)
  const options = { cwd: new URL('../../', import.meta.url), env: { ...process.env, NODE_NO_WARNINGS: '1' } }
  assert.equal((await promisify(execFile)('npx', ['postroom', 'version'], options)).stdout, line)
})

test('what is no command ends with a hint and an error', async () => {
  for (const args of [
    ['nonsense'],
    ['token', 'nonsense'],
    ['start', '--nonsense'],
    ['token', 'revoke'],
    ['webhook', 'recover', '1'],
  ]) {
    const { code, stdout, stderr } = await postroom(...args)
    assert.equal(code, 1, args.join(' '))
    assert.equal(stdout, '')
    assert.match(stderr, /^error: .+/)
  }
})

test('a command whose database is away says so in one line', async () => {
  const away = { ...settings, DATABASE_URL: Object.assign(new URL(instance.database.url), { port: '1' }).href }
  isRefusedInOneLine(await runPostroom(['token', 'list'], away), /DATABASE_URL.*ECONNREFUSED/)
  isRefusedInOneLine(await runPostroom(['migrate'], { ...settings, ENCRYPTION_KEY: '' }), /ENCRYPTION_KEY/)
})

test('what cannot be carried out is refused in one line that says why', async () => {
  const { id } = await endpointAt('/refusals', ['nothing'])
  const refused: [args: string[], why: RegExp][] = [
    [['token', 'create', 'x', '--scopes', 'everything'], /"everything"/],
    [['token', 'create', 'x', '--expires', 'soon'], /--expires/],
    [['token', 'create', 'x', '--expires', '2020-01-01T00:00:00Z'], /future/],
    [['token', 'create', 'x', '--workspace', 'nowhere'], /"nowhere"/],
    [['token', 'revoke', 'abc'], /abc/],
    [['token', 'revoke', '900000'], /there is no token 900000/],
    [['user', 'create', 'nobody'], /email/],
    [['user', 'create', instance.email], /email.*already/],
    [['user', 'create', 'x@example.com', '--role', 'boss'], /boss/],
    [['webhook', 'recover', id, '--since', 'yesterday'], /--since/],
    [['webhook', 'test', '900000'], /there is no endpoint 900000/],
    [['webhook', 'secret', '900000'], /there is no endpoint 900000/],
    [['webhook', 'resend', id, '900000'], /there is no delivery 900000/],
    [['outbox', 'replay', '--position', 'x'], /--position/],
    [['outbox', 'replay', '--group', 'nobody'], /--group.*"nobody"/],
  ]
  await eachOf(refused, async ([args, why]) => {
    isRefusedInOneLine(await postroom(...args), why)
  })
})

test('migrate brings the schema up to date and says what it did', async () => {
  assert.equal(await output('migrate'), 'The schema is up to date.\n')
})

test('a token is made, listed and revoked', async () => {
  const token = (await output('token', 'create', 'from the shell', '--scopes', 'contacts:read, audit:read')).trim()
  assert.match(token, /^prt_[0-9A-Za-z]{12}_[0-9A-Za-z]{46}$/)
  const { json: me } = await call('GET', '/api/auth/me', undefined, token)
  assert.deepEqual([me.name, me.scopes], ['from the shell', ['audit:read', 'contacts:read']])
  const full = (await output('token', 'create', 'everything')).trim()
  assert.equal((await call('GET', '/api/auth/me', undefined, full)).json.scopes.length, SCOPES.length)

  const list = await output('token', 'list')
  assert.ok(!list.includes(token))
  const row = rowsOf(list).find(({ id }) => id === me.id)
  assert.deepEqual([row?.name, row?.state, row?.scopes], ['from the shell', 'valid', 'audit:read,contacts:read'])
  assert.match(await output('token', 'revoke', me.id), new RegExp(`^Token ${me.id} is revoked`))
  const isRefused = async () => (await call('GET', '/api/auth/me', undefined, token)).status === 401
  await until('the token to be refused', isRefused, 1_500)
  assert.equal(rowsOf(await output('token', 'list')).find(({ id }) => id === me.id)?.state, 'revoked')
  const { json: log } = await call('GET', `/api/audit-entries?targetId=${me.id}&targetType=api_token`)
  assert.deepEqual(
    log.items.map(({ action, actor }: { action: string; actor: { kind: string } }) => [action, actor.kind]),
    [
      ['api_token.revoke', 'operator'],
      ['api_token.create', 'operator'],
    ],
  )
})

test('a person is made who can log in with the printed password', async () => {
  const text = await output('user', 'create', 'Shell@Example.com', '--role', 'viewer', '--name', 'Shelly')
  const field = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(text)?.[1] ?? ''
  assert.deepEqual([field('email'), field('role')], ['shell@example.com', 'viewer'])
  const login = await call('POST', '/site/auth/login', { email: field('email'), password: field('password') })
  assert.equal(login.status, 200)
  assert.deepEqual([login.json.user.name, login.json.workspaces[0].role], ['Shelly', 'viewer'])
})

test('endpoints and their deliveries are listed, tested, resent and recovered', async () => {
  const endpoint = await endpointAt('/shell', ['shell.event'])
  const row = rowsOf(await output('webhook', 'list')).find(({ id }) => id === endpoint.id)
  assert.deepEqual([row?.url, row?.events, row?.state], [`${receiver.url}/shell`, 'shell.event', 'on'])

  const [, webhookId = ''] = /queued as (\S+)\.$/m.exec(await output('webhook', 'test', endpoint.id)) ?? []
  await arrived('/shell')
  assert.equal(lastAt('/shell')?.headers['webhook-id'], webhookId)
  const secret = (await output('webhook', 'secret', endpoint.id)).trim()
  new Webhook(secret).verify(lastAt('/shell')!.body, lastAt('/shell')!.headers as Record<string, string>)

  const isLogged = async () =>
    rowsOf(await output('webhook', 'deliveries', endpoint.id)).some(({ state }) => state === 'delivered')
  await until('the delivery in the log', isLogged, DONE_WITHIN_MS)
  const [delivery] = rowsOf(await output('webhook', 'deliveries', endpoint.id))
  assert.deepEqual([delivery?.event, delivery?.attempts, delivery?.status], ['webhook.test', '1', '200'])
  await output('webhook', 'resend', endpoint.id, delivery!.id!)
  await arrived('/shell', 2)
  assert.equal(lastAt('/shell')?.headers['webhook-id'], webhookId)

  const since = new Date(Date.now() - 60_000).toISOString()
  await call('POST', '/api/events', { events: [{ action: 'missed.event', subjectId: 'a' }] })
  const isStored = async () => (await instance.sql(`select from events where name = 'missed.event'`)).length === 1
  await until('the event to be stored', isStored, DONE_WITHIN_MS)
  const late = await endpointAt('/late', ['missed.event'])
  assert.match(await output('webhook', 'recover', late.id, '--since', since), /queued/)
  await arrived('/late')
})

test('a message says why it was or was not sent', async () => {
  await call('POST', '/api/suppressions', { destination: 'no@example.com' })
  const mail = { destination: 'no@example.com', subject: 'Hello', text: 'Hello.' }
  const { json } = await call('POST', '/api/emails', mail)
  const text = await output('message', 'explain', json.id)
  assert.match(text, new RegExp(`^Message ${json.id} to no@example.com, transactional: suppressed \\(manual\\)\n`))
  assert.match(text, /\nNot sent: the address must not be mailed \(manual\)\.\n/)
  assert.match(text, /^suppression +stops +the address is suppressed \(manual\)/m)
  const [row] = rowsOf(await output('message', 'list', 'NO@example.com'))
  assert.deepEqual([row?.id, row?.of, row?.status, row?.reason], [json.id, 'transactional', 'suppressed', 'manual'])

  const later = {
    destination: 'later@example.com',
    subject: 'Hello',
    text: 'Hello.',
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const { id } = (await call('POST', '/api/emails', later)).json
  for (const [state, status] of [
    ['pending', 'queued'],
    ['accepted', 'sent'],
  ]) {
    await instance.sql('update messages set state = $2 where id = $1', [id, state])
    const [listed] = rowsOf(await output('message', 'list', 'later@example.com'))
    assert.equal(listed?.status, status)
    assert.match(await output('message', 'explain', id), new RegExp(`^Message ${id} to .*: ${status}\n`))
  }
  isRefusedInOneLine(await postroom('message', 'explain', '900000000'), /there is no message 900000000$/m)
})

test('an event that a group cannot handle is parked while others go on, is shown, and is replayed once', async () => {
  assert.equal(await output('outbox', 'parked'), 'Nothing is parked.\n')
  // An event should never do this: it meets a rule of the table that keeps it.
  await instance.sql(`alter table events add constraint no_poison check (name <> 'poison.event')`)
  await call('POST', '/api/events', {
    events: [
      { action: 'before.poison', subjectId: 'a' },
      { action: 'poison.event', subjectId: 'b' },
      { action: 'after.poison', subjectId: 'c' },
    ],
  })
  const stored = async (name: string) => (await instance.sql('select from events where name = $1', [name])).length
  await until('the others to be stored', async () => (await stored('after.poison')) === 1, DONE_WITHIN_MS)
  assert.equal(await stored('poison.event'), 0)
  const [parked, ...others] = rowsOf(await output('outbox', 'parked'))
  assert.deepEqual(others, [])
  assert.deepEqual([parked?.consumerGroup, parked?.workspaceId], ['persist', '1'])
  assert.match(parked?.error ?? '', /no_poison/)

  const failing = await postroom('outbox', 'replay')
  assert.equal(failing.code, 1)
  assert.match(failing.stdout, /failed/)
  assert.match(failing.stderr, /^postroom: some events failed again\n$/)
  await instance.sql('alter table events drop constraint no_poison')
  assert.equal(await output('outbox', 'replay', '--group', 'webhooks'), 'Nothing is parked.\n')
  const [replayed] = rowsOf(await output('outbox', 'replay', '--position', parked!.position!))
  assert.deepEqual([replayed?.group, replayed?.outcome], ['persist', 'done'])
  assert.equal(await stored('poison.event'), 1)
  assert.equal(await output('outbox', 'parked'), 'Nothing is parked.\n')
  assert.equal(await output('outbox', 'replay'), 'Nothing is parked.\n')
  const errors =
    /watermill_messages_processed_total\{[^}]*error="true"[^}]*handler="persist_event"|watermill_messages_processed_total\{[^}]*handler="persist_event"[^}]*error="true"/
  assert.match(await instance.metrics(), errors)
})

test('the audit log is exported and verified, and a change behind its back ends with exit code 1', async () => {
  const ended = await postroom('audit', 'export', '--action', 'workspace.create')
  assert.deepEqual([ended.code, JSON.parse(ended.stdout).action], [0, 'workspace.create'])
  const [taken] = (await output('audit', 'export', '--format', 'csv', '--action', 'audit_log.export'))
    .split('\n')
    .slice(1)
  assert.match(taken!, /,operator,,[^,]*,audit_log\.export,/)
  await until(
    'the log to be sealed',
    async () => (await call('GET', '/api/audit-entries/verify')).json.unsealedEntries === 0,
    DONE_WITHIN_MS,
  )
  assert.match(await output('audit', 'verify'), /^default: intact, \d+ entries sealed, /)
  await instance.sql(`set session_replication_role = replica; delete from audit_entries where sequence = 2`)
  for (const args of [[], ['--workspace', 'default']]) {
    const { code, stdout, stderr } = await postroom('audit', 'verify', ...args)
    assert.deepEqual([code, stdout], [1, 'default: broken at 2: the entry is missing\n'])
    assert.match(stderr, /^postroom: 1 of 1 audit logs do not hold\n$/)
  }
  isRefusedInOneLine(await postroom('audit', 'verify', '--workspace', 'nowhere'), /no workspace "nowhere"/)
})

test('workspaces are listed, renamed for their readers, and made for an account', async () => {
  await output('user', 'create', 'grace@example.org')
  await output('workspace', 'create', 'harbour', 'Harbour News', '--owner', 'Grace@Example.org')
  await output('workspace', 'rename', 'harbour', 'Harbour & Co')
  const [row] = rowsOf(await output('workspace', 'list')).filter(({ slug }) => slug === 'harbour')
  assert.deepEqual([row?.name, row?.members], ['Harbour & Co', '1'])
  const refused = (...args: string[]) => postroom('workspace', ...args)
  isRefusedInOneLine(await refused('create', 'x', 'X', '--owner', 'nobody@example.org'), /there is no account nobody/)
  isRefusedInOneLine(await refused('create', 'Not A Slug', 'X', '--owner', 'grace@example.org'), /slug/)
  isRefusedInOneLine(await refused('rename', 'harbour', 'two\nlines'), /name/)
})

test('an endpoint is made with a secret of its maker, which is printed for programs', async () => {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
  const url = `${receiver.url}/made`
  const made = JSON.parse(
    await output('webhook', 'create', url, '--events', 'email.sent', '--secret', secret, '--json'),
  )
  assert.deepEqual([made.url, made.eventTypes, made.secret], [url, ['email.sent'], secret])
  assert.equal(await output('webhook', 'secret', made.id), `${secret}\n`)
  isRefusedInOneLine(
    await postroom('webhook', 'create', url, '--secret', 'whsec_short'),
    /base64 of 24 to 64 random bytes/,
  )
})

test('an automation is shown, explained, held and let go on', async () => {
  const definition = {
    ...{ format: 1, enter: { on: [{ event: 'cart.updated' }] }, start: 'rest' },
    nodes: { rest: { type: 'delay', days: 2, to: 'end' } },
  }
  const made = await call('POST', '/api/automations', { name: 'Carts', definition })
  const { id } = made.json
  assert.equal((await call('POST', `/api/automations/${id}/activate`)).status, 200)
  const contact = await call('POST', '/api/contacts', { email: 'cart@example.com' })
  const stranger = await call('POST', '/api/contacts', { email: 'stranger@example.com' })
  await call('POST', '/api/events', { events: [{ action: 'cart.updated', email: 'cart@example.com' }] })
  await until(
    'somebody is inside',
    async () => (await call('GET', `/api/automations/${id}/counts`)).json.inside === 1,
    DONE_WITHIN_MS,
  )
  assert.match(await output('automation', 'list'), new RegExp(`^${id} +Carts +active +1$`, 'm'))
  const shown = await output('automation', 'show', id)
  assert.match(shown, /^Carts: active, version 1 in force\n1 came in, 0 of them held out; 1 are inside$/m)
  assert.match(await output('automation', 'explain', id, contact.json.id), /Stands at “rest”, until /)
  assert.match(await output('automation', 'explain', id, stranger.json.id), /^No event that brings anybody in/)
  assert.equal(await output('automation', 'pause', id), 'Carts: paused\n')
  assert.equal(await output('automation', 'resume', id), 'Carts: active\n')
  const faults = rowsOf(await output('automation', 'doctor'))
  assert.deepEqual(
    faults.map(({ fault, found }) => [fault, found]),
    ['sums', 'untimed', 'overdue', 'unlooked'].map((fault) => [fault, '0']),
  )
  isRefusedInOneLine(await postroom('automation', 'show', '900000000'), /there is no automation 900000000$/m)
})
