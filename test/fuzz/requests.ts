import fc, { type Arbitrary } from 'fast-check'
import type { Operation } from '../contract/described-api.ts'
import { fitting, type JsonSchema, NASTY_TEXT, spoilt } from './values.ts'

/** A value of a path: as it stands, or the n-th of the ids that the run has seen of its kind. */
export type PathValue = { text: string } | { known: number; of: 'own' | 'foreign' }
export type Caller = (typeof CALLERS)[number]
const CALLERS = ['full', 'foreign', 'reader', 'garbage', 'none'] as const

export type FuzzRequest = {
  operation: Operation
  path: PathValue[]
  query: [name: string, value: string][]
  caller: Caller
  headers: Record<string, string>
  body: { json: unknown } | { raw: string | Uint8Array; type: string | undefined } | undefined
}

const mostly = <T>(usual: Arbitrary<T>, seldom: Arbitrary<T>, weight = 9) =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: seldom, weight: 1 })

const pathValue: Arbitrary<PathValue> = fc.oneof(
  { arbitrary: fc.record({ known: fc.nat(), of: fc.constant('own' as const) }), weight: 12 },
  { arbitrary: fc.record({ known: fc.nat(), of: fc.constant('foreign' as const) }), weight: 2 },
  fc
    .constantFrom('900000000', '0', '9223372036854775807', '9223372036854775808', '-1', 'abc', '1.5', '%', '')
    .map((text) => ({ text })),
  NASTY_TEXT.map((text) => ({ text })),
)

const caller: Arbitrary<Caller> = fc.oneof(
  { arbitrary: fc.constant('full' as const), weight: 30 },
  fc.constantFrom(...CALLERS),
)

const headers: Arbitrary<Record<string, string>> = fc.record(
  {
    accept: mostly(
      fc.constantFrom('*/*', 'application/json'),
      fc.constantFrom('text/html', ',', 'application/json;q=0'),
    ),
    'accept-encoding': fc.constantFrom('gzip', 'br;q=0.1', 'zstd', '*', 'nonsense', 'identity;q=0'),
    'idempotency-key': mostly(
      fc.integer({ min: 0, max: 5_000 }).map((n) => `key-${n}`),
      fc.constantFrom('a b', 'x'.repeat(256), 'é'),
    ),
    'if-match': fc.constantFrom('*', '"x"', 'W/"x"', 'nonsense', ','),
    'if-none-match': fc.constantFrom('*', '"x"', 'W/"x", "y"'),
    'x-request-id': fc.constantFrom('fuzz', 'x'.repeat(200), 'a b'),
  },
  { requiredKeys: [] },
)

const RAW_BODIES = [
  '', '{', '[]', 'null', '"text"', '1e400', '{"a":1,"a":2}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}',
  '{"a":"\\u0000"}', '{"a":"\\ud800"}', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, `{"a":${'9'.repeat(1_500)}}`, '\ufeff{}',
  `{"a":${'1'.repeat(400)}}`, '{"events":[{"action":"a","subjectId":"b","properties":{"n":123456789012345678901234567890.5e99}}]}',
] // biome-ignore format: a list to be read across

const rawBody = fc.oneof(
  fc.constantFrom(...RAW_BODIES).map((raw) => ({ raw, type: 'application/json' as string | undefined })),
  fc.uint8Array({ maxLength: 60 }).map((raw) => ({ raw, type: 'application/json' as string | undefined })),
  fc
    .tuple(
      fc.constantFrom('{}', 'a,b\r\n1,2', '<a/>', 'email\nada@example.com\n'),
      fc.constantFrom(
        'text/csv',
        'text/plain',
        'application/xml',
        'application/merge-patch+json',
        'nonsense',
        undefined,
      ),
    )
    .map(([raw, type]) => ({ raw, type })),
)

type Parameter = { name: string; in: string; schema?: JsonSchema }
/** The document has one example of a body as `example`, several as `examples`. */
type BodyMedia = { schema?: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> }
type BodyOf = { content?: Record<string, BodyMedia> }

/** Requests to one operation: most of them such as it takes, the rest wrong in one way or another. */
export function requestsTo(operation: Operation): Arbitrary<FuzzRequest> {
  const parameters = (operation.described.parameters ?? []) as Parameter[]
  const inPath = parameters.filter((one) => one.in === 'path')
  const inQuery = parameters.filter((one) => one.in === 'query')
  return fc.record({
    operation: fc.constant(operation),
    path: fc.tuple(...inPath.map(() => pathValue)),
    query: queryOf(inQuery),
    caller,
    headers: mostly(fc.constant({}), headers, 2),
    body: bodyOf(operation),
  })
}

function queryOf(parameters: readonly Parameter[]): Arbitrary<[string, string][]> {
  const fits = parameters.map(({ name, schema }) => {
    const value = mostly(fitting(schema ?? {}, name).map(String), NASTY_TEXT)
    const given = value.map((text): [string, string] => [name, text])
    return mostly<[string, string] | undefined>(fc.constant(undefined), given, 2)
  })
  const unknown = fc.tuple(fc.constantFrom('nonsense', 'page', '__proto__', ''), NASTY_TEXT)
  const stranger = mostly<[string, string] | undefined>(fc.constant(undefined), unknown, 30)
  return fc
    .tuple(fc.tuple(...fits), stranger)
    .map(([known, unknown]) => [...known, unknown].filter((pair): pair is [string, string] => pair !== undefined))
}

function bodyOf(operation: Operation): Arbitrary<FuzzRequest['body']> {
  const content = (operation.described.requestBody as BodyOf | undefined)?.content
  if (!content) return mostly<FuzzRequest['body']>(fc.constant(undefined), rawBody)
  const schema = content['application/json']?.schema
  if (schema === undefined) {
    const [type] = Object.keys(content)
    const upload = fc.constantFrom('email,name\nada@example.com,Ada\n', 'email\n"', '\u0000', 'a;b\n1;2\n', '')
    return mostly<FuzzRequest['body']>(
      upload.map((raw) => ({ raw, type })),
      rawBody,
    )
  }
  const { example, examples: several = {} } = content['application/json']!
  const examples = [...(example === undefined ? [] : [example]), ...Object.values(several).map(({ value }) => value)]
  const good = fitting({ ...schema, examples })
  return fc.oneof<Arbitrary<FuzzRequest['body']>[]>(
    { arbitrary: good.map((json) => ({ json })), weight: 8 } as never,
    { arbitrary: spoilt(good).map((json) => ({ json })), weight: 3 } as never,
    { arbitrary: mostly<FuzzRequest['body']>(rawBody, fc.constant(undefined)), weight: 1 } as never,
  )
}
