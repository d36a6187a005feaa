import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, mock, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { Webhook } from 'standardwebhooks'
import manifest from '../../package.json' with { type: 'json' }
import { SCOPES } from '../../server/catalogue/scopes.ts'
import { commandLine, main } from '../../server/cli/main.ts'
import { BREVO_KEY, startBrevo } from '../support/brevo-peer.ts'
import { send } from '../support/http-client.ts'
import { until } from '../support/instance.ts'
import { KEILA_FILE, KEILA_KEY, startKeila } from '../support/keila-peer.ts'
import { LISTMONK_LOGIN, startListmonk } from '../support/listmonk-peer.ts'
import { mailchimpArchive } from '../support/mailchimp-archive.ts'
import { MAILCHIMP_KEY, startMailchimp } from '../support/mailchimp-peer.ts'
import { PATIENCE } from '../support/patience.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { type Ended, runPostroom } from '../support/postroom-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { withClient } from '../support/test-server.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const DONE_WITHIN_MS = 60_000
const TABLES = `select from pg_class where relnamespace = 'public'::regnamespace`
const COMMANDS = [
  'start',
  'migrate',
  'token create',
  'token list',
  'token revoke',
  'user create',
  'user reset-link',
  'user reset-second-factor',
  'workspace list',
  'workspace rename',
  'workspace create',
  'mail list',
  'mail show',
  'outbox parked',
  'outbox replay',
  'broadcast list',
  'broadcast send',
  'broadcast pause',
  'broadcast resume',
  'broadcast cancel',
  'broadcast explain',
  'automation list',
  'automation show',
  'automation pause',
  'automation resume',
  'automation explain',
  'automation pull',
  'automation plan',
  'automation apply',
  'automation test',
  'automation simulate',
  'automation backfill',
  'automation doctor',
  'message list',
  'message explain',
  'webhook list',
  'webhook create',
  'webhook deliveries',
  'webhook resend',
  'webhook recover',
  'webhook test',
  'webhook secret',
  'audit verify',
  'audit export',
  'backup',
  'restore',
  'restored',
  'move',
  'import-from brevo',
  'import-from keila',
  'import-from mailchimp',
  'import-from listmonk',
  'version',
]
/** They run until they are stopped, and print what is to be read. */
const WITHOUT_JSON = ['start']

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

/**
 * Runs a command in this process and answers what it printed: a process for each would take most of the file's time. One after
 * the other, for they share the settings and the console.
 */
async function postroom(...args: string[]): Promise<Ended> {
  return withSettings(settings, ...args)
}

async function withSettings(given: Record<string, string>, ...args: string[]): Promise<Ended> {
  const printed = { stdout: '', stderr: '' }
  const take = (name: keyof typeof printed, end: string) => (text: string) => {
    printed[name] += text + end
    return true
  }
  const mocks = [
    mock.method(console, 'log', take('stdout', '\n')),
    mock.method(console, 'error', take('stderr', '\n')),
    mock.method(process.stderr, 'write', take('stderr', '')),
  ]
  const before = { ...process.env }
  Object.assign(process.env, given)
  try {
    return { code: await main(args), signal: null, ...printed }
  } finally {
    process.env = before
    for (const one of mocks) one.mock.restore()
  }
}

/** The same as a process, where it is about how one ends, or about what is not printed at once. */
const spawned = (...args: string[]) => runPostroom(args, settings)

/** The output of a command that went well. */
async function output(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await postroom(...args)
  assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  return stdout
}

/** The document of a command that went well. */
async function json(...args: string[]) {
  return JSON.parse(await output(...args, '--json'))
}

/** Every command that people may give, by its words. */
function commandsOf(command: Command, words: string[] = []): [words: string, command: Command][] {
  if (command.commands.length === 0) return [[words.join(' '), command]]
  const shown = command.commands.filter((one) => one.name() !== 'process')
  return shown.flatMap((one) => commandsOf(one, [...words, one.name()]))
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
  // Words alone need no process of their own for each.
  const written: string[] = []
  const write = t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
  const texts = new Map<string, string>()
  for (const command of COMMANDS) {
    assert.equal(await main([...command.split(' '), '--help']), 0)
    texts.set(command, written.splice(0).join(''))
  }
  assert.equal(await main(['--help']), 0)
  const general = written.splice(0).join('')
  write.mock.restore()
  for (const command of new Set(COMMANDS.map((name) => name.split(' ')[0]!)))
    assert.match(general, new RegExp(`^  ${command}\\b`, 'm'))
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
  assert.equal((await json('version')).version, manifest.version)
  const options = { cwd: new URL('../../', import.meta.url), env: { ...process.env, NODE_NO_WARNINGS: '1' } }
  assert.equal((await promisify(execFile)('npx', ['postroom', 'version'], options)).stdout, line)
})

test('each command that prints something prints it for programs too, and says what its arguments are', async () => {
  const commands = commandsOf(await commandLine())
  assert.deepEqual(
    commands.map(([words]) => words),
    COMMANDS,
  )
  for (const [words, command] of commands) {
    const hasJson = command.options.some(({ long }) => long === '--json')
    assert.equal(hasJson, !WITHOUT_JSON.includes(words), words)
    for (const argument of command.registeredArguments) assert.notEqual(argument.description, '', words)
    for (const option of command.options) assert.notEqual(option.description, '', `${words} ${option.flags}`)
  }
})

test('what is asked for in the wrong way is said with what was meant, and exit code 2', async () => {
  const misused: [args: string[], why: RegExp][] = [
    [[], /^Usage: postroom /],
    [['token'], /^Usage: postroom token /],
    [['tokn'], /unknown command 'tokn'\n\(Did you mean token\?\)/],
    [['token', 'lst'], /unknown command 'lst'\n\(Did you mean list\?\)/],
    [['token', 'list', '--workspce', 'x'], /unknown option '--workspce'\n\(Did you mean --workspace\?\)/],
    [['start', '--nonsense'], /unknown option '--nonsense'/],
    [['token', 'revoke'], /missing required argument 'id'/],
    [['token', 'list', 'x'], /too many arguments/],
    [['webhook', 'recover', '1'], /--since/],
    [
      ['token', 'create', 'x', '--scopes', 'contacts:raed'],
      /"contacts:raed" is no scope; did you mean contacts:read\?/,
    ],
    [['token', 'create', 'x', '--expires', 'soon'], /--expires.*soon.*RFC 3339/],
    [['token', 'revoke', 'abc'], /abc.*"\.\/postroom token list"/],
    [['user', 'create', 'x@example.com', '--role', 'boss'], /boss.*owner, admin/],
    [['mail', 'show', 'x'], /x.*"\.\/postroom mail list"/],
    [['webhook', 'recover', '1', '--since', 'yesterday'], /--since.*yesterday/],
  ]
  for (const [args, why] of misused) {
    const { code, stdout, stderr } = await postroom(...args)
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, why)
    assert.match(stderr, /^(error: [^\n]+\n|Usage: )/)
  }
  assert.equal((await spawned('tokn')).code, 2)
})

test('a command makes nothing where there is no database of Postroom', async () => {
  const nowhere = path.join(os.tmpdir(), `postroom-nowhere-${randomBytes(6).toString('hex')}`)
  isRefusedInOneLine(
    await withSettings({ DATABASE_URL: '', DATA_DIR: nowhere }, 'token', 'list'),
    /no database in .*postroom-nowhere/,
  )
  isRefusedInOneLine(await withSettings({ DATABASE_URL: '', DATA_DIR: nowhere }, 'migrate'), /DATA_DIR or DATABASE_URL/)
  assert.equal(existsSync(nowhere), false)
  const other = await createTestDatabase({ migrated: false })
  try {
    const elsewhere = { ...settings, DATABASE_URL: other.url }
    isRefusedInOneLine(await withSettings(elsewhere, 'token', 'list'), /DATABASE_URL: there is nothing of Postroom/)
    const tables = () => withClient(other.superuserUrl, async (client) => (await client.query(TABLES)).rows.length)
    assert.equal(await tables(), 0)
    assert.match(
      (await withSettings(elsewhere, 'migrate')).stdout,
      /^Applied \d+ migrations, 0001_\S+ to \d{4}_\S+\.$/m,
    )
    assert.ok((await tables()) > 0)
  } finally {
    await other.drop()
  }
})

test('it is called from any directory, through a link, with settings out of a file', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'postroom-elsewhere-'))
  try {
    const file = path.join(directory, 'postroom.env')
    await writeFile(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
    )
    await symlink(fileURLToPath(new URL('../../postroom', import.meta.url)), path.join(directory, 'postroom'))
    const { PATH, HOME } = process.env
    const options = { cwd: directory, env: { PATH, HOME, PROCESSES: '1', ...PATIENCE } }
    const call = promisify(execFile)(
      './postroom',
      ['--settings', 'postroom.env', 'workspace', 'list', '--json'],
      options,
    )
    assert.equal(JSON.parse((await call).stdout)[0].slug, 'default')
    assert.deepEqual((await readdir(directory)).sort(), ['postroom', 'postroom.env'])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  isRefusedInOneLine(
    await postroom('--settings', '/nonexistent', 'token', 'list'),
    /--settings \/nonexistent cannot be read/,
  )
})

test('a command ends well when its reader has seen enough', async () => {
  for (const args of [['--help'], ['audit', 'export']]) {
    const { code, stderr } = await runPostroom(args, settings, { unread: true })
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  }
})

test('a command whose database is away says so in one line', async () => {
  const away = { ...settings, DATABASE_URL: Object.assign(new URL(instance.database.url), { port: '1' }).href }
  isRefusedInOneLine(await withSettings(away, 'token', 'list'), /DATABASE_URL.*ECONNREFUSED/)
  isRefusedInOneLine(await withSettings({ ...settings, ENCRYPTION_KEY: '' }, 'migrate'), /ENCRYPTION_KEY/)
})

test('what cannot be carried out is refused in one line that says why', async () => {
  const { id } = await endpointAt('/refusals', ['nothing'])
  const refused: [args: string[], why: RegExp][] = [
    [['token', 'create', 'x', '--expires', '2020-01-01T00:00:00Z'], /^postroom: --expires must be in the future$/m],
    [['token', 'create', 'x', '--workspace', 'nowhere'], /"nowhere"/],
    [['token', 'list', '--workspace', 'defualt'], /"defualt"; did you mean "default"\?/],
    [['token', 'revoke', '900000'], /there is no token 900000/],
    [['user', 'create', 'nobody'], /^postroom: <email> is not an email address$/m],
    [['user', 'create', instance.email], /email.*already/],
    [
      ['webhook', 'create', 'https://example.com/', '--events', 'order.paid,email.snt'],
      /^postroom: --events "email.snt" is no event of the system; did you mean email.sent\?$/m,
    ],
    [['webhook', 'create', 'nonsense'], /^postroom: <url> \w/],
    [['webhook', 'create', 'https://example.com/', '--secret', 'x'], /^postroom: --secret \w/],
    [['webhook', 'test', '900000'], /there is no endpoint 900000/],
    [['webhook', 'secret', '900000'], /there is no endpoint 900000/],
    [['webhook', 'resend', id, '900000'], /there is no delivery 900000/],
    [['broadcast', 'pause', '900000'], /there is no broadcast 900000/],
    [['broadcast', 'send', '900000'], /there is no broadcast 900000/],
  ]
  for (const [args, why] of refused) isRefusedInOneLine(await postroom(...args), why)
})

test('migrate brings the schema up to date and says what it did', async () => {
  assert.equal(await output('migrate'), 'The schema is up to date.\n')
  assert.deepEqual(await json('migrate'), { applied: [] })
})

test('a token is made, listed and revoked', async () => {
  const token = (await output('token', 'create', 'from the shell', '--scopes', 'contacts:read, audit:read')).trim()
  assert.match(token, /^prt_[0-9A-Za-z]{12}_[0-9A-Za-z]{46}$/)
  const { json: me } = await call('GET', '/api/auth/me', undefined, token)
  assert.deepEqual([me.name, me.scopes], ['from the shell', ['audit:read', 'contacts:read']])
  const full = (await output('token', 'create', 'everything')).trim()
  assert.equal((await call('GET', '/api/auth/me', undefined, full)).json.scopes.length, SCOPES.length)

  const list = await output('token', 'list')
  const made = await json('token', 'create', 'for programs', '--expires', '2999-01-01T00:00:00Z')
  assert.deepEqual([made.name, made.state, made.expiresAt], ['for programs', 'valid', '2999-01-01T00:00:00Z'])
  assert.ok((await json('token', 'list')).some(({ id }: { id: string }) => id === made.id))
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
  const automation = await call('POST', '/api/automations', {
    name: 'Poisoned',
    definition: {
      ...{ format: 1, enter: { on: [{ event: 'poison.event' }] }, start: 't' },
      nodes: { t: { type: 'tag', add: ['poisoned'], to: 'end' } },
    },
  })
  await call('POST', `/api/automations/${automation.json.id}/activate`)
  await call('POST', '/api/contacts', { subjectId: 'b' })
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
  const listed = async () => rowsOf(await output('outbox', 'parked'))
  await until('the group behind it to park it too', async () => (await listed()).length === 2, DONE_WITHIN_MS)
  const [parked, behind, ...others] = await listed()
  assert.deepEqual(others, [])
  assert.deepEqual(
    [behind?.consumerGroup, behind?.position, behind?.waitsFor, behind?.attempts],
    ['automations', parked?.position, 'persist', '0'],
  )
  for (const group of ['automations', 'persist'])
    assert.match(await instance.metrics(), new RegExp(`parked_rows\\{[^}]*consumer_group="${group}"[^}]*\\} 1\n`))
  assert.deepEqual([parked?.consumerGroup, parked?.workspaceId], ['persist', '1'])
  assert.match(parked?.error ?? '', /no_poison/)

  const failing = await postroom('outbox', 'replay')
  assert.equal(failing.code, 1)
  assert.match(failing.stdout, /failed/)
  assert.match(failing.stderr, /^postroom: some events failed again\n$/)
  await instance.sql('alter table events drop constraint no_poison')
  assert.equal(await output('outbox', 'replay', '--group', 'webhooks'), 'Nothing is parked.\n')
  const nobodys = await postroom('outbox', 'replay', '--group', 'nobody')
  assert.equal(nobodys.code, 2)
  assert.match(nobodys.stderr, /--group.* 'nobody' is invalid.*persist, automations, webhooks, suppression/)
  const early = await postroom('outbox', 'replay', '--group', 'automations')
  assert.deepEqual([early.code, rowsOf(early.stdout)[0]?.outcome], [1, 'waits'])
  assert.match(early.stderr, /^postroom: some events wait for another group: replay that\n$/)
  const replayed = rowsOf(await output('outbox', 'replay', '--position', parked!.position!))
  assert.deepEqual(
    replayed.map(({ group, outcome }) => `${group} ${outcome}`),
    ['persist done', 'automations done'],
  )
  const entered = async () => {
    const [row] = await instance.sql<{ n: string }>(`select count(*) as n from ended_runs where automation_id = $1`, [
      automation.json.id,
    ])
    return row!.n === '1'
  }
  await until('the person to be through the automation', entered, DONE_WITHIN_MS)
  assert.equal(await stored('poison.event'), 1)
  assert.equal(await output('outbox', 'parked'), 'Nothing is parked.\n')
  assert.equal(await output('outbox', 'replay'), 'Nothing is parked.\n')
  const errors =
    /watermill_messages_processed_total\{[^}]*error="true"[^}]*handler="persist_event"|watermill_messages_processed_total\{[^}]*handler="persist_event"[^}]*error="true"/
  assert.match(await instance.metrics(), errors)
})

test('the audit log is exported and verified, and a change behind its back ends with exit code 1', async () => {
  const ended = await spawned('audit', 'export', '--action', 'workspace.create')
  assert.deepEqual([ended.code, JSON.parse(ended.stdout).action], [0, 'workspace.create'])
  const [taken] = (await spawned('audit', 'export', '--format', 'csv', '--action', 'audit_log.export')).stdout
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
  assert.deepEqual((await json('workspace', 'rename', 'harbour', 'Harbour & Co')).name, 'Harbour & Co')
  const [row] = rowsOf(await output('workspace', 'list')).filter(({ slug }) => slug === 'harbour')
  assert.deepEqual([row?.name, row?.members], ['Harbour & Co', '1'])
  const refused = (...args: string[]) => postroom('workspace', ...args)
  isRefusedInOneLine(await refused('create', 'x', 'X', '--owner', 'nobody@example.org'), /there is no account nobody/)
  isRefusedInOneLine(
    await refused('create', 'Not A Slug', 'X', '--owner', 'grace@example.org'),
    /^postroom: <slug> must/,
  )
  isRefusedInOneLine(await refused('rename', 'harbour', 'two\nlines'), /^postroom: <name> must/)
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
    ['sums', 'hours', 'untimed', 'overdue', 'unlooked', 'unswept'].map((fault) => [fault, '0']),
  )
  assert.equal((await json('automation', 'show', id)).counts.inside, 1)
  assert.match(await output('automation', 'simulate', id, '--days', '1'), /^the draft +1 +1 +1 /m)
  assert.match(await output('automation', 'backfill', id, '--days', '1'), /^0 events of 0 people in 1 days/)
  assert.match(
    await output('automation', 'backfill', id, '--days', '1', '--as-of', 'then'),
    /as of then: 0 of 0 events/,
  )
  assert.match(await output('automation', 'backfill', id, '--status'), /as of then/)
  const asked = await call('POST', `/api/automations/${id}/simulate`, { days: 1 })
  const simulations = `/api/automations/${id}/simulations`
  const simulated = async () => (await call('GET', `${simulations}/${asked.json.id}`)).json
  await until('the job is done', async () => (await simulated()).state === 'done', DONE_WITHIN_MS)
  assert.equal((await simulated()).report.draft.nodes.find(({ node }: { node: string }) => node === 'rest').entered, 1)
  assert.equal((await call('GET', simulations)).json.items.length, 2)
  isRefusedInOneLine(await postroom('automation', 'show', '900000000'), /there is no automation 900000000$/m)
})

test('an automation is a file that is planned, applied and published, and takes nobody’s draft away', async (t) => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'postroom-automations-'))
  t.after(() => rm(directory, { recursive: true }))
  const file = path.join(directory, 'carts.json')
  const definition = (days: number) => ({
    ...{ format: 1, enter: { on: [{ event: 'cart.left' }] }, start: 'rest' },
    nodes: { rest: { type: 'delay', days, to: 'end' } },
  })
  const write = (form: object) => writeFile(file, JSON.stringify(form))
  await write({ name: 'In a file', definition: definition(2) })
  assert.match(await output('automation', 'plan', file), /would be made as a new draft/)
  assert.match(await output('automation', 'apply', file, '--publish'), /^version 1 is in force$/m)
  const { id } = JSON.parse(await readFile(file, 'utf8'))
  // What was pulled is what was applied, to the byte.
  const applied = await readFile(file, 'utf8')
  await output('automation', 'pull', id, file)
  assert.equal(await readFile(file, 'utf8'), applied)
  assert.match(await output('automation', 'plan', file), /the draft is the same already/)

  await write({ id, name: 'In a file', definition: definition(3) })
  assert.match(await output('automation', 'plan', file), /^rest +changed +days +0 /m)
  assert.equal((await call('GET', `/api/automations/${id}`)).json.definition.nodes.rest.days, 2)
  // Somebody's draft that is nowhere in force stays, unless it is named.
  await call('PATCH', `/api/automations/${id}`, { definition: definition(5) })
  isRefusedInOneLine(await postroom('automation', 'apply', file), /differs from version 1, so it would be lost/)
  const [, tag = ''] = /--draft (\S+)/.exec(await output('automation', 'plan', file)) ?? []
  await call('PATCH', `/api/automations/${id}`, { definition: definition(6) })
  isRefusedInOneLine(await postroom('automation', 'apply', file, '--draft', tag), /was changed since it was read/)
  const { draft } = await json('automation', 'plan', file)
  assert.match(await output('automation', 'apply', file, '--draft', draft, '--publish'), /^version 2 is in force$/m)
  assert.equal((await call('GET', `/api/automations/${id}`)).json.definition.nodes.rest.days, 3)
  const story = (at: string) => ({ name: 'Rests', given: [{ event: 'cart.left' }], expect: [{ end: 'completed', at }] })
  await write({
    id,
    name: 'In a file',
    definition: definition(3),
    scenarios: [story('P3D'), { ...story('P2D'), name: 'Late' }],
  })
  const played = await postroom('automation', 'test', file)
  assert.equal(played.code, 1, played.stderr)
  assert.match(played.stdout, /^ok {3}Rests$/m)
  assert.match(played.stdout, /^ {5}- end completed .*after 2 d\)\n {5}\+ end completed .*after 3 d\)$/m)
  await write({ id, name: 'In a file', definition: definition(3), scenarios: [story('P3D')] })
  await output('automation', 'apply', file)
  assert.match(await output('automation', 'test', id), /1 of 1 scenarios are told as they are written/)
  await write({ id, name: 'In a file', definition: { ...definition(3), start: 'nowhere' } })
  assert.match((await postroom('automation', 'plan', file)).stderr, /\/definition\/start/)
})

test('a broadcast is sent, held, let go on and given up, and what keeps it from being sent is said', async () => {
  const make = async (path: string, body: object) => (await call('POST', `/api/${path}`, body)).json.id
  await make('contacts', { email: 'reader@example.com' })
  await make('sending-domains', { domain: 'shell.example' })
  await instance.sql('update sending_domain_keys set verified_at = now()')
  // A server that nobody runs: what is under way stays so.
  const config = { kind: 'smtp', host: '127.0.0.1', port: 1, from: 'news@shell.example' }
  const integrationId = await make('integrations', { name: 'Relay', config })
  const id = await make('broadcasts', { name: 'November', subject: 'News', integrationId })
  isRefusedInOneLine(await postroom('broadcast', 'send', id), /body/)
  const body = '<p>News. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
  assert.equal((await call('PATCH', `/api/broadcasts/${id}`, { body })).status, 200)
  isRefusedInOneLine(await postroom('broadcast', 'send', id, '--expect', '4000'), /./)
  assert.equal(await output('broadcast', 'send', id), 'November: sending\n')
  assert.equal(await output('broadcast', 'pause', id), 'November: paused\n')
  const [row] = rowsOf(await output('broadcast', 'list', '--status', 'paused'))
  assert.deepEqual([row?.id, row?.name, row?.status], [id, 'November', 'paused'])
  assert.equal((await json('broadcast', 'resume', id)).status, 'sending')
  assert.equal(await output('broadcast', 'cancel', id), 'November: canceled\n')
  assert.equal((await json('broadcast', 'list'))[0].status, 'canceled')
  isRefusedInOneLine(await postroom('broadcast', 'resume', id), /canceled/)
})

test('the commands of the guide to moving bring in what they foretell', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'postroom-moving-'))
  const peers = [await startListmonk(), await startBrevo(), await startKeila(), await startMailchimp()] as const
  const [listmonk, brevo, keila, mailchimp] = peers
  try {
    const file = async (name: string, content: string | Buffer) => {
      await writeFile(path.join(directory, name), content)
      return path.join(directory, name)
    }
    const archive = await file('export.zip', mailchimpArchive())
    const login = await file('listmonk.login', `${LISTMONK_LOGIN}\n`)
    const places: Record<string, string> = {
      ...{ 'export.zip': archive, 'listmonk.login': login },
      ...{ 'https://list.example.com': listmonk.url, 'https://app.keila.io': keila.url },
      'brevo.key': await file('brevo.key', BREVO_KEY),
      'keila.key': await file('keila.key', `${KEILA_KEY}\n`),
      'mailchimp.key': await file('mailchimp.key', MAILCHIMP_KEY),
      'contacts.csv': await file('contacts.csv', KEILA_FILE),
    }
    const elsewhere: Record<string, string> = {
      'brevo.key': `${brevo.url}/v3/`,
      'mailchimp.key': `${mailchimp.url}/3.0`,
    }
    const people: Record<string, RegExp> = {
      'export.zip': /^ {2}people +8, 2 with consent, 5 without$/m,
      'listmonk.login': /^ {2}people +9, 4 with consent/m,
      'brevo.key': /^ {2}people +7, 3 with consent, 3 without$/m,
      'keila.key': /^ {2}people +4, 0 with consent, 3 without$/m,
      'contacts.csv': /^ {2}people +4, 0 with consent, 3 without$/m,
      'mailchimp.key': /^ {2}people +7, 2 with consent, 5 without$/m,
    }
    const guide = await readFile(fileURLToPath(new URL('../../docs/guides/moving.md', import.meta.url)), 'utf8')
    const commands = [...guide.matchAll(/^\.\/postroom (import-from .+)$/gm)].map(([, words]) => words!.split(' '))
    assert.equal(commands.length, 11)
    for (const words of commands) {
      const address = words.flatMap((word) => (elsewhere[word] ? ['--address', elsewhere[word]] : []))
      const told = await output(...words.map((word) => places[word] ?? word), ...address)
      assert.match(
        told,
        words.includes('--apply') ? /^Opted out: \d added, \d known before\.$/m : /^Nothing was changed/m,
      )
      assert.match(told, people[words.find((word) => people[word])!]!, words.join(' '))
    }
    const again = await json('import-from', 'mailchimp', archive, '--apply')
    assert.deepEqual([again.applied.optOuts, again.applied.templates.created], [{ added: 0, known: 3 }, 0])
    const person = await call('GET', '/api/contacts?email=ada@move.example')
    assert.deepEqual(
      person.json.items.map(({ firstName }: { firstName: string }) => firstName),
      ['Ada'],
    )
    isRefusedInOneLine(await postroom('import-from', 'mailchimp', login), /it is no ZIP archive$/m)
    isRefusedInOneLine(await postroom('import-from', 'mailchimp', `${archive}.gone`), /cannot be read: ENOENT$/m)
    isRefusedInOneLine(await postroom('import-from', 'mailchimp'), /needs the archive or --key-file/)
    isRefusedInOneLine(await postroom('import-from', 'mailchimp', '--key-file', login), /the key is none of Mailchimp/)
    isRefusedInOneLine(await postroom('import-from', 'keila', keila.url), /An address needs --key-file/)
  } finally {
    for (const peer of peers) await peer.close()
    await rm(directory, { recursive: true })
  }
})
