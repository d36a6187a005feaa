import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { leastMs, processorMs } from '../../../test/support/processor-time.ts'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { Problem } from '../problem.ts'
import { parseExactJson, parseForeignJson, parseJsonBody, parseLongJsonBody } from './exact-json.ts'

const roundTrip = (text: string) => JSON.stringify(parseExactJson(text))

function refusal(text: string | Buffer): string {
  try {
    typeof text === 'string' ? parseExactJson(text) : parseJsonBody(text)
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.statusCode, 400)
    return error.detail ?? ''
  }
  throw new Error(`accepted: ${text}`)
}

test('numbers that a double would change keep every digit', () => {
  const kept = [
    '9007199254740993',
    '-12345678901234567890',
    '0.1234567890123456789',
    '9.007199254740993e15',
    '1.2345678901234567',
    '1e320',
    '3.5e-324',
    '[1,{"a":12345678901234567890},"12345678901234567890"]',
  ]
  for (const text of kept) assert.equal(roundTrip(text), text)
})

test('numbers that a double holds are plain numbers, however they are written', () => {
  for (const text of [
    '1',
    '1.50',
    '1E3',
    '0.0000000000000000000001',
    '1000000000000000000000',
    '9007199254740992',
    '1.0e+100',
    '-0.0',
  ]) {
    const value = parseExactJson(text)
    assert.equal(typeof value, 'number', text)
    assert.equal(value, JSON.parse(text))
  }
})

test('of JSON of another service each digit stays, and nothing is refused', () => {
  for (const text of [
    '{"account":9007199254740993,"\\u00000":"\\u00000","a":"\\ud800"}',
    '{"a":1e999,"b":[1e400]}',
    '{"constructor":{"prototype":1},"__proto__":12345678901234567890}',
  ])
    assert.equal(JSON.stringify(parseForeignJson(text)), text)
  assert.equal(JSON.stringify(parseForeignJson('{"a":1,"a":12345678901234567890}')), '{"a":12345678901234567890}')
  assert.throws(() => parseForeignJson('{'), SyntaxError)
})

test('any decimal number comes out as the same value', () => {
  const seed = seedFrom('JSON_SEED')
  const digits = fc.stringMatching(/^[0-9]{0,30}$/)
  const decimal = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.stringMatching(/^(0|[1-9][0-9]{0,25})$/),
      digits,
      fc.option(fc.integer({ min: -324, max: 324 })),
    )
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole}${fraction && `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
    )
  fc.assert(
    fc.property(decimal, (text) => {
      assert.ok(equalDecimals(roundTrip(text), text), `${text} became ${roundTrip(text)}`)
    }),
    { seed, numRuns: 2_000 },
  )
})

/** Compares as exact fractions: digits times a power of ten. */
function equalDecimals(a: string, b: string): boolean {
  const [left, right] = [exact(a), exact(b)]
  const shift = left.exponent - right.exponent
  return shift >= 0
    ? left.digits * 10n ** BigInt(shift) === right.digits
    : left.digits === right.digits * 10n ** BigInt(-shift)
}

function exact(text: string): { digits: bigint; exponent: number } {
  const [mantissa = '', exponent = '0'] = text.split(/[eE]/)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const negative = whole.startsWith('-')
  const digits = BigInt(`${whole.replace('-', '')}${fraction}`)
  return { digits: negative ? -digits : digits, exponent: Number(exponent) - fraction.length }
}

test('absurd numbers are refused', () => {
  assert.match(refusal('1e325'), /exponent/)
  assert.match(refusal('{"a":[1e-100000]}'), /exponent/)
  assert.match(refusal('1'.repeat(1_001)), /longer than 1000/)
})

test('exponents stand for no more digits than a database may write out', () => {
  assert.match(refusal('{"a":1e999}'), /exponent/)
  assert.match(refusal(`[${'1e300,'.repeat(100)}1]`), /too many digits/)
  assert.match(refusal(`[${'1e99, '.repeat(1_000)}1]`), /too many digits/)
  assert.equal(roundTrip('[1e300,-2.5e-7,1e21]'), '[1e+300,-2.5e-7,1e+21]')
})

test('a key that an object has twice is refused, however it is spelled, and the same key of two objects is not', () => {
  for (const text of ['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[{"b":{"c":1,"d":2,"c":3}}]', '{"":1,"":2}']) {
    assert.match(refusal(text), /same key twice/)
  }
  for (const text of [
    '{"a":{"a":[{"a":1},{"a":2}]}}',
    '{"a:b":":","c\\"":"\\\\"}',
    '"a:b"',
    '[]',
    '{"a":12345678901234567890}',
  ]) {
    assert.equal(roundTrip(text), text)
  }
})

test('a long number costs the numbers beside it nothing', async () => {
  const text = `[${'1,'.repeat(500_000)}12345678901234567890]`
  const tookMs = await leastMs(1_000, () => processorMs(() => assert.equal(roundTrip(text), text)))
  assert.ok(tookMs <= 1_000, `${tookMs} ms`)
})

test('a string of many megabytes beside a long number is read, of whatever it is made', async () => {
  for (const string of ['x'.repeat(10_000_000), '\\"'.repeat(5_000_000)]) {
    const text = `{"n":12345678901234567890,"s":"${string}"}`
    assert.equal(JSON.stringify(await parseLongJsonBody(Buffer.from(text))), text)
  }
})

test('text that is not JSON is refused with the place where it stops being JSON', () => {
  const places: [string, string][] = [
    ['{"a":1,}', 'The body stops being JSON at line 1, column 8 (position 7).'],
    ['{a:1}', 'The body stops being JSON at line 1, column 2 (position 1).'],
    ['{"a":tru}', 'The body stops being JSON at line 1, column 6 (position 5).'],
    ['[1,\n 2 3]', 'The body stops being JSON at line 2, column 4 (position 7).'],
    ['[1,]', 'The body stops being JSON at line 1, column 4 (position 3).'],
    ['{"a":1', 'The body ends too early at line 1, column 7 (position 6).'],
    ['nope', 'The body stops being JSON at line 1, column 1 (position 0).'],
    ['1 2', 'The body stops being JSON at line 1, column 3 (position 2).'],
    ['"\\x"', 'The body stops being JSON at line 1, column 1 (position 0).'],
  ]
  for (const [text, detail] of places) assert.equal(refusal(text), detail)
  const long = `{"text":"${'x'.repeat(1_000_000)}","b":?}`
  assert.match(refusal(long), /position 1000015/)
})

test('no text takes the square of its length to refuse or to read, and a string without an end least of all', () => {
  const endless = `{"${'a'.repeat(1_000_000)}`
  assert.match(refusal(endless), /position 1\)/)
  assert.match(refusal(`"${'\\n'.repeat(500_000)}\u0001"`), /position 0\)/)
  // A thousand zeros and a digit, a thousand times: read digit by digit, once.
  const zeros = `[${`1${'0'.repeat(990)}1,`.repeat(1_000)}1]`
  assert.equal(roundTrip(zeros), zeros)
})

test('whatever the engine refuses has a place, and the place is where a prefix stops being completable', () => {
  const seed = seedFrom('JSON_SEED')
  const pieces = fc.array(fc.constantFrom('{', '}', '[', ']', ':', ',', '"a"', '1', 'true', 'nul', ' ', '"', '-'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      let valid = true
      try {
        JSON.parse(text)
      } catch {
        valid = false
      }
      if (valid) assert.equal(roundTrip(text), JSON.stringify(JSON.parse(text)))
      else assert.match(refusal(text), /position \d+/)
    }),
    { seed, numRuns: 2_000 },
  )
})

test('keys that reach a prototype are refused however they are spelled, words in text are not', () => {
  for (const text of [
    '{"__proto__":{}}',
    '[{"a":{"__proto__":1}}]',
    '{"\\u005f_proto__":1}',
    '{"constructor":{"prototype":{}}}',
  ]) {
    assert.match(refusal(text), /__proto__/)
  }
  for (const text of ['{"a":"__proto__"}', '{"constructor":"builder"}', '{"proto":1}'])
    assert.equal(roundTrip(text), text)
})

test('text that PostgreSQL cannot store is refused', () => {
  for (const text of ['"a\\u0000b"', '{"a\\u0000":1}', '["\\ud800"]', '"\\udc00\\ud800"'])
    assert.match(refusal(text), /U\+0000 or half/)
  assert.equal(roundTrip('"\\ud83d\\ude00"'), '"😀"')
  assert.match(refusal(Buffer.from([0x22, 0xff, 0x22])), /UTF-8/)
})

test('deep nesting neither breaks the parser nor the checks after it', () => {
  const depth = 500_000
  const value = parseExactJson(`${'['.repeat(depth)}"\\u0041"${']'.repeat(depth)}`)
  assert.ok(Array.isArray(value))
})

test('an object has 10,000 names at most, however many there are in all', () => {
  const names = (count: number) => `{${Array.from({ length: count }, (_, n) => `"n${n}":1`).join(',')}}`
  assert.ok(parseExactJson(`[${names(10_000)},${names(10_000)}]`))
  assert.match(refusal(`{"a":[${names(10_001)}]}`), /more than 10000 names/)
})
