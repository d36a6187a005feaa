import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { withLogFields } from './log-context.ts'
import { createLogger, type Logger } from './logger.ts'
import { Secret } from './secret.ts'

/** A value nobody could guess to be a secret but by its name or by having been told. */
const CANARY = 'kanarienvogel-4711/ä+"q"'
const CANARY_WORD = 'kanarienvogel'
const TOKEN = `prt_${'kanarienvoge'}_${'l'.repeat(46)}`
const WEBHOOK_SECRET = `whsec_${Buffer.from(CANARY_WORD.repeat(2)).toString('base64')}`
const PEM = `-----BEGIN PRIVATE KEY-----\n${CANARY_WORD}\n${CANARY_WORD}\n-----END PRIVATE KEY-----`

const NAMES = [
  ...['password', 'passwd', 'pwd', 'passphrase', 'currentPassword', 'token', 'accessToken', 'refresh_token', 'secret'],
  ...['clientSecret', 'secretAccessKey', 'signing-key', 'authorization', 'Proxy-Authorization', 'cookie', 'Set-Cookie'],
  ...['credentials', 'apiKey', 'API_KEY', 'privateKey', 'ENCRYPTION_KEY', 'BOOTSTRAP_PASSWORD', 'bootstrapToken'],
]

/** Ways in which a named value gets into a log call. */
const NAMED_SHAPES: Record<string, (log: Logger, name: string, value: string) => void> = {
  field: (log, name, value) => log.info({ [name]: value }, 'x'),
  'field of a child': (log, name, value) => log.child({ [name]: value }).info('x'),
  'field of a grandchild': (log, name, value) =>
    log
      .child({ a: 1 })
      .child({ [name]: value })
      .info('x'),
  'field set later': (log, name, value) => {
    const child = log.child({})
    child.setBindings({ [name]: value })
    child.info('x')
  },
  'field of the context': (log, name, value) => withLogFields({ [name]: value }, () => log.info('x')),
  'nested field': (log, name, value) => log.info({ a: [{ b: { [name]: value } }] }, 'x'),
  'list under the name': (log, name, value) => log.info({ [name]: [value] }),
  'object under the name': (log, name, value) => log.info({ [name]: { is: value } }),
  'entry of a map': (log, name, value) => log.info({ map: new Map([[name, value]]) }),
  'list of pairs': (log, name, value) => log.info({ pairs: [[name, value]] }),
  'flat list of pairs': (log, name, value) => log.info({ headers: ['host', 'x', name, value] }),
  'interpolated object': (log, name, value) => log.info('got %o', { [name]: value }),
  'interpolated JSON': (log, name, value) => log.info('got %j', { [name]: value }),
  'JSON in the message': (log, name, value) => log.info(`got ${JSON.stringify({ [name]: value })}`),
  'JSON in JSON': (log, name, value) => log.info(`got ${JSON.stringify({ a: JSON.stringify({ [name]: value }) })}`),
  'JSON in a field': (log, name, value) => log.info({ body: JSON.stringify({ [name]: value }, null, 2) }),
  'inspected object': (log, name, value) => log.info(inspect({ [name]: value })),
  'inspected map': (log, name, value) => log.info(inspect(new Map([[name, value]]))),
  'inspected pairs': (log, name, value) => log.info(inspect([name, value])),
  'assignment in an error': (log, name, value) => log.error(new Error(`bad ${name}="${value.replaceAll('"', '')}"`)),
  'JSON in a cause': (log, name, value) =>
    log.error(new Error('a', { cause: new Error(`b ${JSON.stringify({ [name]: value })}`) })),
  'form field': (log, name, value) => log.info(`POST a=1&${name}=${encodeURIComponent(value)}&b=2`),
  'query of a URL': (log, name, value) =>
    log.info({ url: new URL(`https://a.example/?${name}=${encodeURIComponent(value)}`) }),
}

for (const [shape, write] of Object.entries(NAMED_SHAPES)) {
  test(`a value named as a secret is never written: ${shape}`, () => {
    for (const name of NAMES) expectNoCanary(`${shape}, ${name}`, (log) => write(log, name, CANARY))
  })
}

/** Secrets that must be recognised by themselves, wherever they stand. */
const BARE = {
  'API token': TOKEN,
  'webhook secret': WEBHOOK_SECRET,
  'private key': PEM,
  'private key on one line': PEM.replaceAll('\n', '\\n'),
  'private key cut off': PEM.slice(0, 60),
  'address of a database': `postgres://postroom:${CANARY_WORD}@db.example:5432/postroom`,
  'address of a database, odd password': `postgresql://postroom:${CANARY_WORD}/p?x#y@db.example/postroom`,
  'address of a web service': `https://user:${CANARY_WORD}@a.example/x`,
  'bearer token': `Bearer ${CANARY_WORD}`,
  'basic credentials': `Basic ${Buffer.from(`user:${CANARY_WORD}`).toString('base64')}`,
  'session cookie': `Cookie: a=b; session=${CANARY_WORD}; c="${CANARY_WORD}"`,
}

const BARE_SHAPES: Record<string, (log: Logger, text: string) => void> = {
  message: (log, text) => log.info(text),
  'part of a message': (log, text) => log.info(`before ${text} after`),
  'quoted in a message': (log, text) => log.info(`before "${text}"`),
  field: (log, text) => log.info({ harmless: text }, 'x'),
  'name of a field': (log, text) => log.info({ [text]: 1 }, 'x'),
  'list item': (log, text) => log.info({ list: [text] }, 'x'),
  interpolation: (log, text) => log.info('got %s and %d', text, 1),
  'surplus argument': (log, text) => Reflect.apply(log.info, log, ['got', text]),
  error: (log, text) => log.error(new Error(text)),
  'error with a message': (log, text) => log.error({ err: new TypeError(text) }, 'failed'),
  cause: (log, text) => log.error(new Error('a', { cause: new Error('b', { cause: text }) })),
  'one of several errors': (log, text) => log.error(new AggregateError([new Error(text), text])),
  'code of an error': (log, text) => log.error(Object.assign(new Error('a'), { code: text })),
  'error in a field': (log, text) => log.warn({ lastError: new Error(text) }),
  child: (log, text) => log.child({ harmless: text }).info('x'),
  context: (log, text) => withLogFields({ requestId: text }, () => log.info('x')),
  'debug level': (log, text) => log.debug({ harmless: text }, text),
}

for (const [shape, write] of Object.entries(BARE_SHAPES)) {
  test(`a secret is told by its shape: ${shape}`, () => {
    for (const [what, text] of Object.entries(BARE)) {
      expectNoCanary(`${shape}, ${what}`, (log) => write(log, text))
    }
  })

  test(`a value that was made known is never written: ${shape}`, () => {
    const base64 = Buffer.from(CANARY).toString('base64')
    for (const text of [CANARY, encodeURIComponent(CANARY), JSON.stringify(CANARY), base64]) {
      expectNoCanary(`${shape}, ${text}`, (log) => write(log, text), [new Secret(CANARY)])
    }
  })
}

test('a Secret is never written', () => {
  const secret = new Secret(CANARY)
  expectNoCanary('Secret', (log) => {
    log.info({ secret, list: [secret], harmless: { secret } }, `text ${secret}`)
    log.info('%s %o %j', secret, secret, { secret })
    log.child({ harmless: secret }).error(new Error(String(secret)))
  })
})

test('harmless text is left as it is', () => {
  const lines: string[] = []
  const log = createLogger({ level: 'info', format: 'json', destination: { write: (line) => void lines.push(line) } })
  const texts = [
    'GET https://a.example:8080/api/contacts?page=2 answered 200',
    'Unexpected token } in JSON at position 7',
    'the basic information of a bearer token',
    'postgres://127.0.0.1:5432/postroom is up',
    'revoked a token, tokens are listed under /api/auth/tokens',
    'prt_ and whsec_ are prefixes',
  ]
  for (const text of texts) log.info({ tokenId: '7', text }, text)
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ tokenId, text, msg }) => [tokenId, text, msg]),
    texts.map((text) => ['7', text, text]),
  )
})

function expectNoCanary(what: string, write: (log: Logger) => void, secrets: readonly Secret[] = []): void {
  for (const format of ['json', 'pretty'] as const) {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    write(createLogger({ level: 'trace', format, secrets, destination }))
    assert.notEqual(lines.length, 0, what)
    for (const line of lines) {
      const decoded = line.replace(/[A-Za-z0-9+/]{16,}={0,2}/g, (text) => text + Buffer.from(text, 'base64').toString())
      assert.ok(!decoded.includes(CANARY_WORD.slice(0, 8)), `${what}: ${line}`)
      assert.ok(!line.includes('4711'), `${what}: ${line}`)
    }
  }
}
