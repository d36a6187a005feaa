import fc, { type Arbitrary } from 'fast-check'

/** The parts of JSON Schema that the description uses. */
export type JsonSchema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
  examples?: unknown[]
}

/** Items and properties of a valid value at most, so that a request stays small. */
const ITEMS_MAX = 4
const INTEGER_BEYOND_INT4 = 3_000_000_000

const WORDS = [
  'ada',
  'Ada Lovelace',
  'vip',
  'page.view',
  'Zoë',
  '客户',
  '🎉',
  'a b',
  'x'.repeat(300),
  'O’Brien',
  '%',
  '\\',
]

/** Text that has broken programs before: bounds, other scripts, quoting, control characters, lookalikes of other types. */
export const NASTY_TEXT = fc.oneof(
  { arbitrary: fc.string({ unit: 'binary', maxLength: 20 }), weight: 2 },
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\t\n',
      '\u0000',
      '\ud800',
      '\u202e',
      'a\u0301'.repeat(20),
      '﷽',
      'İ',
      'ß',
      '٣',
      '-0',
      '1e309',
      'NaN',
      'null',
    ],
    ...[
      'true',
      '[]',
      '{}',
      "'",
      '"',
      "';--",
      "' or 1=1--",
      '\\',
      '%',
      '_',
      '$1',
      ':a',
      '?',
      '{{7*7}}',
      '<script>',
      '../..',
      '=1+1',
    ],
    ...[
      '__proto__',
      'constructor',
      '9223372036854775807',
      '9223372036854775808',
      '-1',
      '0x10',
      '1_000',
      '٠',
      'infinity',
      'now',
    ],
    ...[
      '0000-00-00T00:00:00Z',
      '294277-01-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-06-30T23:59:60Z',
    ],
    ...[
      'a@b',
      'a@-b.com',
      'x@xn--.com',
      'http://',
      'http://[::1]',
      'http://0x7f.1/',
      'https://a:b@c/',
      'javascript:1',
      'file:///x',
    ],
    ...['a'.repeat(1_001), 'é'.repeat(5_000)],
  ),
)

/** Values of every type, at and beyond their bounds. */
export const NASTY = fc.oneof(
  { arbitrary: NASTY_TEXT, weight: 3 },
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    1e300,
    5e-324,
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(nested(40), Array(1_001).fill(0), { a: { b: [] } }, Object.fromEntries(keys(300))),
  fc.jsonValue({ maxDepth: 3 }),
)

function keys(count: number): [string, number][] {
  return Array.from({ length: count }, (_, n) => [`key ${n}`, n])
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let n = 0; n < depth; n++) value = n % 2 ? [value] : { a: value }
  return value
}

const timestamp = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .chain((date) => {
    const text = date.toISOString()
    const forms = [text, text.replace('Z', '+02:00'), text.replace('T', ' '), text.toLowerCase()]
    return fc.constantFrom(...forms, `${text.slice(0, 17)}60Z`)
  })

const leaf = fc.constantFrom(
  '{"combinator":"and","rules":[{"field":"email","operator":"contains","value":"a"}]}',
  '{"combinator":"or","not":true,"rules":[{"field":"custom:plan","operator":"=","value":"x"},{"field":"tag","operator":"has","value":"vip"}]}',
  '{"combinator":"and","rules":[]}',
  '{"combinator":"and","rules":[{"field":"event:page.view","operator":"has","value":{"count":{"atLeast":2}}}]}',
)

/**
 * Values that a field of this name is usually given: a value that fits only its type seldom gets past the domain's
 * rules.
 */
const BY_NAME: Readonly<Record<string, Arbitrary<unknown>>> = {
  email: fc.integer({ min: 0, max: 500 }).map((n) => `p${n}@example.com`),
  destination: fc.integer({ min: 0, max: 500 }).map((n) => `p${n}@example.com`),
  subjectId: fc.integer({ min: 0, max: 500 }).map((n) => `s-${n}`),
  phone: fc.integer({ min: 0, max: 500 }).map((n) => `+4930${n}`),
  url: fc.constantFrom('https://hooks.example.com/in', 'http://203.0.113.9/x', 'https://example.org:8443/a?b=c'),
  domain: fc.integer({ min: 0, max: 500 }).map((n) => `mail-${n}.example.com`),
  definition: leaf,
  // Every endpoint that is on makes a delivery of every event: a run would be about nothing else.
  enabled: fc.oneof({ arbitrary: fc.constant(false), weight: 9 }, fc.boolean()),
  config: fc.constantFrom(
    {
      kind: 'smtp',
      host: 'smtp.example.com',
      port: 587,
      from: 'news@example.com',
      username: 'ada',
      password: 'secret',
    },
    { kind: 'ses', region: 'eu-central-1', accessKeyId: 'AKIA', secretAccessKey: 'secret', from: 'news@example.com' },
  ),
  timeZone: fc.constantFrom('Europe/Berlin', 'UTC', 'America/New_York', 'US/Pacific-New'),
  name: fc.oneof(
    fc.constantFrom(...WORDS),
    fc.integer({ min: 0, max: 300 }).map((n) => `name ${n}`),
  ),
}

/** A value that fits the schema, as far as a schema says it; `name` is the field that it is for. */
export function fitting(schema: JsonSchema, name = ''): Arbitrary<unknown> {
  const known = BY_NAME[name]
  const fits =
    known && isOpen(schema) ? fc.oneof({ arbitrary: known, weight: 4 }, fittingType(schema)) : fittingType(schema)
  return schema.examples?.length ? fc.oneof(fits, fc.constantFrom(...schema.examples)) : fits
}

const isOpen = ({ type, enum: words }: JsonSchema) =>
  words === undefined && [type].flat().some((one) => one === 'string' || one === 'boolean' || one === 'object')

function fittingType(schema: JsonSchema): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fitting(one)))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => fittingType({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return text(schema)
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = INTEGER_BEYOND_INT4 } = schema
      const [least, most] = [Math.ceil(minimum), Math.floor(Math.min(maximum, minimum + 10))]
      const ends = fc.constantFrom(minimum, maximum)
      return least > most ? ends : fc.oneof(fc.integer({ min: least, max: most }), ends)
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const minLength = schema.minItems ?? 0
      const maxLength = Math.min(schema.maxItems ?? ITEMS_MAX, minLength + ITEMS_MAX)
      return fc.array(fitting(schema.items ?? {}), { minLength, maxLength })
    }
    case 'object':
      return object(schema)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function object({ properties, required = [], additionalProperties }: JsonSchema): Arbitrary<unknown> {
  if (!properties) {
    const value =
      typeof additionalProperties === 'object' ? fitting(additionalProperties) : fc.jsonValue({ maxDepth: 1 })
    return fc.dictionary(fc.constantFrom(...WORDS, 'plan', 'score', 'since'), value, { maxKeys: ITEMS_MAX })
  }
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fitting(field, name)]))
  return fc.record(fields, { requiredKeys: required })
}

function text({ format, pattern, minLength = 0, maxLength = 200 }: JsonSchema): Arbitrary<string> {
  if (format === 'date-time') return timestamp
  if (pattern === '^[0-9]+$') return fc.integer({ min: 1, max: 50 }).map(String)
  const fit = (value: string) => value.slice(0, maxLength).padEnd(minLength, 'x')
  return fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: 'grapheme', maxLength: 30 })).map(fit)
}

/** The value with one place of it made wrong: replaced, removed, or with a field that nobody knows beside it. */
export function spoilt(value: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.tuple(value, NASTY, fc.nat(), fc.nat({ max: 3 })).map(([good, nasty, place, how]) => {
    const copy = structuredClone(good)
    const places = placesIn(copy)
    const chosen = places[place % Math.max(1, places.length)]
    if (chosen === undefined) return nasty
    const { holder, key } = chosen
    if (how === 0) Reflect.deleteProperty(holder, key)
    else if (how === 1) Object.assign(holder, { [`${key}x`]: nasty })
    else Object.assign(holder, { [key]: nasty })
    return copy
  })
}

function placesIn(root: unknown): { holder: object; key: string }[] {
  if (typeof root !== 'object' || root === null) return []
  return Object.keys(root).flatMap((key) => [
    { holder: root, key },
    ...placesIn((root as Record<string, unknown>)[key]),
  ])
}
