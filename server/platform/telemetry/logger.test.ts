import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { withLogFields } from './log-context.ts'
import { createLogger, type LoggerOptions } from './logger.ts'
import { Secret } from './secret.ts'

function capture(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const log = createLogger({
    level: 'trace',
    format: 'json',
    destination: { write: (line) => void lines.push(line) },
    ...options,
  })
  const last = () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>
  return { log, lines, last }
}

test('a line is one JSON object with level, ISO time, fields and message', () => {
  const { log, lines, last } = capture()
  log.info({ port: 3000 }, 'listening on %s', 'loopback')
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /^\{.*\}\n$/)
  const { time, ...rest } = last()
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, { level: 'info', pid: process.pid, port: 3000, msg: 'listening on loopback' })
})

test('a line below the level is not written', () => {
  const { log, lines } = capture({ level: 'warn' })
  log.info('quiet')
  assert.deepEqual(lines, [])
})

test('fields of the context are on every line inside it, nested ones added, none outside', async () => {
  const { log, last } = capture()
  await withLogFields({ requestId: 'r-1' }, async () => {
    await new Promise(setImmediate)
    withLogFields({ jobId: '7' }, () => log.info('inner'))
    assert.deepEqual([last().requestId, last().jobId], ['r-1', '7'])
    log.child({ module: 'intake' }).info('outer')
    assert.deepEqual([last().requestId, last().jobId, last().module], ['r-1', undefined, 'intake'])
  })
  log.info('outside')
  assert.equal('requestId' in last(), false)
})

test('e-mail addresses are masked at info and above, and readable at debug', () => {
  const { log, last } = capture()
  log.info({ to: 'Alice.Smith+x@mail.example.com' }, 'sent to bob@example.com, carol%40example.com, "d e"@example.com')
  assert.equal(last().to, 'A***@mail.example.com')
  assert.equal(last().msg, 'sent to b***@example.com, c***%40example.com, ***@example.com')
  log.child({ from: 'dave@example.com' }).error(new Error('no such address: <eve@bücher.example>'))
  assert.equal(last().from, 'd***@example.com')
  assert.equal(last().msg, 'no such address: <e***@bücher.example>')
  log.debug({ to: 'alice@example.com' }, 'sent to bob@example.com')
  assert.deepEqual([last().to, last().msg], ['alice@example.com', 'sent to bob@example.com'])
})

test('what only looks like an address stays', () => {
  const { log, last } = capture()
  log.info('npm@10.2.1 at user@host, 5 @ 3.50')
  assert.equal(last().msg, 'npm@10.2.1 at user@host, 5 @ 3.50')
})

test('an error shows type, message, codes and its chain of causes', () => {
  const { log, last } = capture()
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
    port: 1,
    detail: 'Key (email)=(alice@example.com) already exists.',
  })
  log.error(new Error('no connection', { cause: refused }), 'request %d failed', 7)
  const err = last().err as Record<string, unknown>
  assert.equal(last().msg, 'request 7 failed')
  assert.equal(err.message, 'no connection')
  assert.deepEqual(err.cause, {
    type: 'Error',
    message: 'connect ECONNREFUSED 127.0.0.1:1',
    code: 'ECONNREFUSED',
    syscall: 'connect',
    port: 1,
  })
})

test('a stack stands with a bug only', () => {
  const { log, last } = capture()
  const stackOf = (error: Error) => {
    log.error({ err: error }, 'failed')
    return (last().err as { stack?: string }).stack
  }
  class Refused extends Error {}
  assert.match(stackOf(new TypeError('x is not a function')) ?? '', /^at .*logger\.test\.ts/)
  assert.match(stackOf(new Error('cannot be')) ?? '', /^at /)
  assert.match(stackOf(Object.assign(new Error('column "x" does not exist'), { code: '42703' })) ?? '', /^at /)
  assert.equal(stackOf(new Refused('too many')), undefined)
  assert.equal(stackOf(Object.assign(new Error('duplicate key'), { code: '23505' })), undefined)
  assert.equal(stackOf(Object.assign(new Error('gone'), { code: 'ECONNRESET' })), undefined)
})

test('several errors at once, thrown strings and endless causes are described', () => {
  const { log, last } = capture()
  const looped = new Error('looped')
  looped.cause = looped
  log.error({ err: new AggregateError([new Error('one'), 'two', null], 'both', { cause: looped }) })
  const err = last().err as { errors: unknown[]; message: string }
  assert.equal(last().msg, 'both')
  assert.equal((err.errors[0] as Error).message, 'one')
  assert.deepEqual(err.errors.slice(1), ['two', 'thrown null'])
})

test('what is not plain data is named, not written', () => {
  const { log, last } = capture()
  class Connection {
    password = 'hunter2-hunter2'
  }
  const loop: Record<string, unknown> = { id: '1' }
  loop.self = loop
  log.info({
    connection: new Connection(),
    loop,
    bytes: Buffer.from('hunter2-hunter2'),
    big: 2n ** 63n,
    none: undefined,
    at: new Date(0),
    made: () => 1,
    missing: Number.NaN,
    names: new Set(['a']),
    counts: new Map([['a', 1]]),
  })
  const { time: _time, level: _level, pid: _pid, ...fields } = last()
  assert.deepEqual(fields, {
    connection: '[Connection]',
    loop: { id: '1', self: '[circular]' },
    bytes: '[15 bytes]',
    big: '9223372036854775808',
    at: '1970-01-01T00:00:00.000Z',
    missing: 'NaN',
    names: ['a'],
    counts: { a: 1 },
  })
})

test('a line is bounded however much is put into it', () => {
  const { log, lines } = capture()
  const deep = (depth: number): object => (depth === 0 ? {} : { inside: deep(depth - 1) })
  log.info({ text: 'x'.repeat(1e6), list: Array(1e5).fill(1), deep: deep(1_000) }, 'y'.repeat(1e6))
  assert.ok((lines[0] ?? '').length < 20_000, String(lines[0]?.length))
})

for (const format of ['json', 'pretty'] as const) {
  test(`no text can start a line of its own or command the terminal (${format})`, () => {
    const { log, lines } = capture({ format })
    const hostile = 'a\n{"level":"fatal"}\r\u001b[31mred\u0085b\u2028c\u009b31m\u202ed'
    log.info({ field: hostile, [hostile]: 1 }, hostile)
    log.child({ bound: hostile }).warn({ err: Object.assign(new Error(hostile), { code: hostile }) })
    for (const line of lines) {
      const [, ...more] = line.trimEnd().split('\n')
      assert.ok(
        more.every((frame) => frame.startsWith('    ')),
        line,
      )
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
      assert.doesNotMatch(line.replaceAll('\n', ''), /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/)
    }
  })
}

test('text for a terminal: time, level, message, fields, and errors below', () => {
  const { log, lines } = capture({ format: 'pretty' })
  log.info({ port: 3000, name: 'two words' }, 'listening')
  assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d\.\d{3}Z INFO {2}listening port=3000 name="two words"\n$/)
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  log.error(new Error('no connection', { cause }), 'cannot start')
  const [head, error, frame, ...rest] = (lines[1] ?? '').trimEnd().split('\n')
  assert.match(head ?? '', /Z ERROR cannot start$/)
  assert.equal(error, '    Error: no connection')
  assert.match(frame ?? '', /^ {8}at /)
  assert.equal(rest.at(-1), '    caused by Error: refused (ECONNREFUSED)')
})

test('a Secret shows stars in every way it can be printed, and gives its value only when asked', () => {
  const secret = new Secret('canary-value')
  const shown = [
    `${secret}`,
    String(secret),
    JSON.stringify({ secret }),
    inspect(secret, { showHidden: true }),
    `${secret}x`,
  ]
  for (const text of shown) {
    assert.match(text, /\*\*\*/)
    assert.doesNotMatch(text, /canary/)
  }
  assert.deepEqual(Object.keys(secret), [])
  assert.equal(secret.reveal(), 'canary-value')
})
