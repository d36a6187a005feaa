import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { ConfigError, readConfig } from '../../server/config.ts'
import { freePort } from '../support/instance.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { runPostroom } from '../support/postroom-process.ts'

/** Starts at once: the machine has other tests to run. */
const AT_ONCE = 3

const key = randomBytes(32).toString('base64')
let directory: string
let database: TestDatabase
let working: Record<string, string>
let occupied: Server
let occupiedPort: number

before(async () => {
  const stay = setInterval(() => undefined, 60_000)
  directory = await mkdtemp(path.join(tmpdir(), 'postroom-settings-'))
  database = await createTestDatabase().finally(() => clearInterval(stay))
  working = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: key,
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    // A start that is refused says one thing, and nothing before it.
    LOG_LEVEL: 'info',
  }
  occupied = createServer()
  await new Promise<void>((resolve) => occupied.listen(0, '127.0.0.1', resolve))
  occupiedPort = (occupied.address() as AddressInfo).port
})
after(async () => {
  occupied.close()
  await database.drop()
  await rm(directory, { recursive: true, force: true })
})

/** Starts the service with each set of settings and holds it to one line that names the setting. */
async function eachIsRefused(cases: readonly (readonly [name: string, settings: Record<string, string>])[]) {
  const waiting = [...cases]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, settings] = next
      // Each tries its port, and would be in the way of another one.
      const port = settings.METRICS_ADDR === undefined ? { PORT: String(await freePort()) } : {}
      const { code, stdout, stderr } = await runPostroom(['start'], { ...working, ...port, ...settings })
      const what = `${JSON.stringify(settings)}: ${stderr}${stdout}`
      assert.deepEqual([code, stdout], [1, ''], what)
      assert.match(stderr, /^postroom: [^\n]+\n$/, what)
      assert.ok(stderr.includes(name), what)
      for (const secret of ['hush-hush', key]) assert.ok(!stderr.includes(secret), what)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

test('every wrong value is refused with one line that names the setting and gives no secret away', () => {
  const wrong: Record<string, string[]> = {
    PORT: ['x', '-1', '65536', '3000.5'],
    HOST: ['0.0.0.0:3000', 'http://localhost', '[::1]', 'my host', '::zz'],
    POSTROOM_COPY: ['yes'],
    PROCESSES: ['0', '65', 'all'],
    BOOTSTRAP_WORKSPACE: ['two\nlines'],
    WEBHOOK_ENDPOINTS_MAX: ['0', 'many'],
    MAILBOX_ADDR: ['on', '0.0.0.0:2525', '127.0.0.1:99999'],
    MCP_ALLOWED_ORIGINS: ['example.com', 'https://example.com/path'],
    BOUNCE_DOMAIN: ['localhost:25', 'bounces example'],
    BOUNCE_ADDR: ['nonsense', ':2525:'],
    SUBMISSION_ADDR: ['nonsense', ':587', 'smtps://127.0.0.1:587', 'imap://:587', '127.0.0.1:2587,'],
    SUBMISSION_PROXY_PROTOCOL: ['perhaps', '10.0.0.0/8'],
    SUBMISSION_CONNECTIONS_PER_TOKEN: ['0', '1001', 'many'],
    DRAIN_SECONDS: ['-1', '121', 'long'],
    POSTROOM_PATIENCE: ['0'],
    METRICS_ADDR: ['nonsense', '9464', ':99999', '127.0.0.1:9464/metrics'],
    APP_URL: ['example.com', 'ftp://example.com'],
    DATABASE_URL: ['mysql://u:hush-hush@h/d', 'nonsense'],
    DB_MAX_OPEN_CONNS: ['0', 'x', '1001'],
    PGX_MAX_CONNS: ['0', '-1'],
    ENCRYPTION_KEY: ['hush-hush', `${key},hush-hush`, ''],
    ROLE: ['boss'],
    EDITION: ['free'],
    BOOTSTRAP_EMAIL: ['nobody', 'a@b@c'],
    BOOTSTRAP_PASSWORD: ['hush-hu'],
    BOOTSTRAP_TOKEN: ['hush-hush'],
    WEBHOOK_ALLOW_NETWORKS: ['10.0.0.0/33', 'nonsense'],
    SMTP_ALLOW_NETWORKS: ['10.0.0.0/33', 'nonsense'],
    SYSTEM_SMTP_URL: ['mail.example.com', 'https://u:hush-hush@h', 'smtp://u:hush-hush@h?tls=maybe'],
    SYSTEM_MAIL_FROM: ['nobody', 'A\nB <a@b>'],
    DNS_SERVERS: ['nonsense', '127.0.0.1:99999'],
    LOG_LEVEL: ['loud'],
    LOG_FORMAT: ['xml'],
    EVENTS_RETENTION_DAYS: ['0', '1.5'],
    ANONYMOUS_RETENTION_DAYS: ['0'],
    MESSAGES_RETENTION_DAYS: ['0', 'long'],
    OUTBOX_RETENTION_DAYS: ['never'],
    RATE_LIMIT_API: ['-1', 'many'],
    RATE_LIMIT_SITE: ['0.5'],
    RATE_LIMIT_FAILURES: ['1000000001'],
    RATE_LIMIT_COLLECT: ['-1'],
    RATE_LIMIT_COLLECT_IP: ['some'],
    RATE_LIMIT_IDENTIFY: ['-3'],
    TRUST_PROXY: ['perhaps', '10.0.0.0/99', '100'],
  }
  const asked = new Set<string>()
  readConfig(new Proxy(working, { get: (env, name) => asked.add(String(name)) && env[String(name)] }))
  // Any path may be one that can be used, and any text a point.
  for (const name of [
    'DATA_DIR',
    'JOURNAL_DIR',
    'BACKUP_DIR',
    'SUBMISSION_TLS_CERT',
    'SUBMISSION_TLS_KEY',
    'POSTROOM_CRASH_POINT',
  ])
    asked.delete(name)
  assert.deepEqual(Object.keys(wrong).sort(), [...asked].sort(), 'every setting is broken here')
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const read = () => readConfig({ ...working, [name]: value })
      const isOneLine = (error: unknown) => {
        assert.ok(error instanceof ConfigError)
        assert.ok(error.message.startsWith(name), error.message)
        assert.doesNotMatch(error.message, /hush-hu|\n/)
        return true
      }
      assert.throws(read, isOneLine, `${name}=${value}`)
    }
  }
})

test('a wrong value stops the start with that line', async () => {
  await eachIsRefused([
    ['PORT', { PORT: '65536' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://u:hush-hush@h/d' }],
    ['METRICS_ADDR', { METRICS_ADDR: `127.0.0.1:${working.PORT}` }],
    ['METRICS_ADDR', { METRICS_ADDR: `:${working.PORT}` }],
  ])
})

test('an address that cannot be listened on stops the start with one line, before a database is made', async () => {
  const taken = `127.0.0.1:${occupiedPort}`
  const twice = `127.0.0.1:${await freePort()}`
  const dataDir = path.join(directory, 'first-start')
  await eachIsRefused([
    ['METRICS_ADDR', { METRICS_ADDR: taken }],
    ['PORT', { PORT: String(occupiedPort) }],
    ['PORT', { PORT: String(occupiedPort), DATABASE_URL: '', DATA_DIR: dataDir }],
    ['HOST', { HOST: 'nonsense' }],
    ['MAILBOX_ADDR', { MAILBOX_ADDR: taken }],
    ['BOUNCE_ADDR', { BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_ADDR: taken }],
    ['SUBMISSION_ADDR', { SUBMISSION_ADDR: taken }],
    ['it is the address of METRICS_ADDR', { METRICS_ADDR: twice, MAILBOX_ADDR: twice }],
    ['SUBMISSION_TLS_CERT', { SUBMISSION_ADDR: `:${await freePort()}`, ...certificateOf('/nowhere') }],
  ])
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => !name.startsWith('lock')),
    [],
  )
})

const certificateOf = (file: string) => ({ SUBMISSION_TLS_CERT: file, SUBMISSION_TLS_KEY: file })

test('the mailbox gives way to what is asked for by name', () => {
  const at = (more: Record<string, string>) => readConfig({ ENCRYPTION_KEY: key, ...more }).mailbox?.port
  assert.equal(at({}), 2_525)
  assert.equal(at({ BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_ADDR: '127.0.0.1:2525' }), 0)
  assert.equal(at({ SUBMISSION_ADDR: '127.0.0.1:2525', MAILBOX_ADDR: '127.0.0.1:2525' }), 2_525)
})

test('a database that cannot be used stops the start with one line', async () => {
  const url = (change: Partial<URL>) => ({ DATABASE_URL: Object.assign(new URL(database.url), change).href })
  const port = String(await freePort())
  await eachIsRefused([
    ['DATABASE_URL', url({ port })],
    ['DATABASE_URL', url({ hostname: 'no-such-host.invalid' })],
    ['DATABASE_URL', url({ password: 'hush-hush' })],
    ['DATABASE_URL: cannot connect: it asks for a password, and the address has none', url({ password: '' })],
    ['DATABASE_URL', url({ pathname: '/no_such_database' })],
  ])
})

test('a data directory that cannot be used stops the start with one line', async () => {
  const file = path.join(directory, 'a-file')
  await writeFile(file, '')
  const damaged = path.join(directory, 'damaged')
  await mkdir(damaged, { mode: 0o700 })
  await writeFile(path.join(damaged, 'encryption.key'), 'x')
  const dangling = path.join(directory, 'dangling')
  await symlink(path.join(directory, 'nothing'), dangling)
  await eachIsRefused([
    ['encryption.key is damaged', { DATABASE_URL: '', ENCRYPTION_KEY: '', DATA_DIR: damaged }],
    [file, { DATABASE_URL: '', DATA_DIR: file }],
    ['(DATA_DIR): it is a link that leads nowhere', { DATABASE_URL: '', DATA_DIR: dangling }],
    ['(JOURNAL_DIR): a part of the path is not a directory', { JOURNAL_DIR: path.join(file, 'journal') }],
    ...(process.platform === 'linux'
      ? ([
          ['(JOURNAL_DIR): it cannot be made there', { JOURNAL_DIR: '/proc/journal' }],
          ['(DATA_DIR): it cannot be made there', { DATABASE_URL: '', DATA_DIR: '/proc/data' }],
        ] as const)
      : []),
  ])
})

test('an empty setting is one that is not set', async () => {
  const { code, stdout, stderr } = await runPostroom(['migrate'], {
    ...working,
    ROLE: '',
    PORT: '  ',
    METRICS_ADDR: '',
    BOOTSTRAP_TOKEN: '',
  })
  assert.deepEqual([code, stderr], [0, ''])
  assert.notEqual(stdout, '')
})
