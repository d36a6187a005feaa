import type { GuardedOptions, Options, PostOptions } from './call.ts'
import { PostroomError } from './errors.ts'
import { type Attempt, exchange, type Outgoing, type Surroundings } from './exchange.ts'
import type { Families } from './generated/client-families.ts'
import { OPERATIONS } from './generated/operations.ts'
import { List, type Part } from './list.ts'
import { parseJson } from './parse-json.ts'
import { pause } from './retry.ts'
import { VERSION } from './version.ts'

export type ClientOptions = Pick<Options, 'retries' | 'timeoutMs' | 'deadlineMs' | 'headers'> & {
  /** Where Postroom is, without `/api`: `https://mail.example.com`. */
  baseUrl: string
  /** An API token. It is a secret: no page may have it. */
  token: string
  /** Told of every attempt when it has ended. */
  onAttempt?: (attempt: Attempt) => void
  fetch?: typeof fetch
  /** Waits between attempts; the platform's timers when absent. */
  pause?: Surroundings['pause']
}

export type RawOptions = PostOptions & GuardedOptions & { query?: Query; body?: unknown }

export interface Client extends Families {
  /** Any request, with the client's manners: the token, attempts, the key of a POST, errors. `path` begins with `/api/`. */
  raw(method: string, path: string, options?: RawOptions): Promise<Response>
}

type Query = Readonly<Record<string, unknown>>

const JSON_TYPE = 'application/json'
const CSV_TYPE = 'text/csv'

/** Makes a client. Nothing is asked for before the first call. */
export function createClient(settings: ClientOptions): Client {
  if ('window' in globalThis && 'document' in globalThis) {
    throw new Error('The token of a Postroom client is a secret, which everybody who opens this page could read')
  }
  const caller = callerOf(settings)
  const families: Record<string, Record<string, unknown>> = {}
  for (const [id, text] of Object.entries(OPERATIONS)) {
    const [family = '', verb = ''] = id.split('_')
    const name = `${family[0]!.toLowerCase()}${family.slice(1)}`
    families[name] = { ...families[name], [verb]: (...given: unknown[]) => callOperation(caller, text, given) }
  }
  return { ...families, raw: caller.raw } as unknown as Client
}

type Caller = ReturnType<typeof callerOf>
type Asked = RawOptions & { method: string; path: string }

function callerOf(settings: ClientOptions) {
  const { baseUrl, token, fetch: ownFetch, onAttempt, pause: ownPause = pause } = settings
  // Looked up anew for each attempt, so that what exchanges the platform's is heeded.
  const world: Surroundings = { fetch: ownFetch ?? ((url, init) => fetch(url, init)), pause: ownPause, onAttempt }
  const base = baseOf(baseUrl)
  const headers = { ...settings.headers, authorization: `Bearer ${token}`, 'user-agent': `postroom-client/${VERSION}` }
  const call = <Result>(asked: Asked, read: (response: Response) => Promise<Result>): Promise<Result> => {
    const options = {
      retries: asked.retries ?? settings.retries,
      timeoutMs: asked.timeoutMs ?? settings.timeoutMs,
      deadlineMs: asked.deadlineMs ?? settings.deadlineMs,
      signal: asked.signal,
    }
    return exchange(world, outgoing(base, headers, asked), { options, read })
  }
  return {
    call,
    raw: async (method: string, path: string, options: RawOptions = {}) =>
      await call({ ...options, method: method.toUpperCase(), path }, async (response) => response),
  }
}

/** An address with more than a place would swallow the path behind it: the token would go to a page that nobody has asked for. */
function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const isPlace = url && /^https?:$/.test(url.protocol) && !/[?#@]/.test(baseUrl)
  if (!isPlace) throw new TypeError('baseUrl must be an address such as https://mail.example.com, and nothing more')
  const base = baseUrl.trim().replace(/\/+$/, '')
  if (/\/api$/i.test(base)) throw new TypeError('baseUrl must be where Postroom is, without /api: the client adds that')
  return base
}

function outgoing(base: string, common: Record<string, string>, asked: Asked): Outgoing {
  const { method, path, query = {}, body, ifMatch, headers: own } = asked
  // Without the stroke it would be the end of the host's name, and the token be sent to another server.
  if (!path.startsWith('/')) throw new TypeError(`The path ${JSON.stringify(path)} does not begin with /`)
  const url = new URL(`${base}${path}`)
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) url.searchParams.append(name, textOf(one))
  }
  const headers = new Headers({ accept: `${JSON_TYPE}, */*;q=0.1`, ...common, ...own })
  const sent = bodyOf(body)
  if (sent.type !== undefined && !headers.has('content-type')) headers.set('content-type', sent.type)
  const idempotencyKey = method === 'POST' ? (asked.idempotencyKey ?? crypto.randomUUID()) : undefined
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
  if (ifMatch !== undefined) headers.set('if-match', tagOf(ifMatch))
  return { method, url: url.href, headers, body: sent.body, idempotencyKey }
}

const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))

/** Plain values become JSON once, so that every attempt sends the same bytes. */
function bodyOf(body: unknown): { body: Outgoing['body']; type?: string } {
  if (body === undefined) return { body: undefined }
  // Its text is another each time it is sent, which no Idempotency-Key stands for.
  if (body instanceof FormData) throw new TypeError('A form cannot be repeated: send the file itself')
  const isFile =
    typeof body === 'string' ||
    body instanceof Blob ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body) ||
    body instanceof ReadableStream
  return isFile
    ? { body: body as NonNullable<Outgoing['body']>, type: CSV_TYPE }
    : { body: JSON.stringify(body), type: JSON_TYPE }
}

function tagOf(ifMatch: string | { readonly etag?: string }): string {
  const tag = typeof ifMatch === 'string' ? ifMatch : ifMatch.etag
  // Without one the change would not be guarded, and nobody would notice.
  if (!tag)
    throw new TypeError('ifMatch has no entity tag: take the answer of a call that reads or changes the resource')
  return tag
}

/** Calls an operation: the ids of its path one by one, then its body, its query and the options, as far as it has them. */
function callOperation({ call }: Caller, text: string, given: readonly unknown[]): unknown {
  const [method = '', template = '', ...traits] = text.split(' ')
  const kind = traits.find((trait) => trait === 'page' || trait === 'cursor') as 'page' | 'cursor' | undefined
  const ask = (place: Query): Asked => {
    const rest = [...given]
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathPart(name, rest.shift()))
    const body = traits.includes('body') ? { body: rest.shift() ?? {} } : {}
    const query = (kind || traits.includes('query') ? rest.shift() : {}) as Query | undefined
    return {
      ...(rest.shift() as RawOptions | undefined),
      ...body,
      query: { ...query, ...sizeless(place, query) },
      method,
      path,
    }
  }
  if (kind) return new List(kind, async (place) => (await call(ask(place), readJson)) as Part)
  const read = traits.includes('file') ? async (response: Response) => response : readJson
  return (async () => call<unknown>(ask({}), read))()
}

/** The place in a list, but for a size that the query names. */
function sizeless(place: Query, query: Query = {}): Query {
  return Object.fromEntries(
    Object.entries(place).filter(([name]) => !(name in query) || name === 'page' || name === 'cursor'),
  )
}

/** An empty part leads to the list, and `..` to another resource: whatever is asked for, it is not that. */
function pathPart(name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`${name} is ${JSON.stringify(value)}, which names nothing`)
  return encodeURIComponent(text)
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  const { status, headers } = response
  if (!/^application\/json/.test(headers.get('content-type') ?? '')) {
    const nothing = { problem: undefined, requestId: undefined, retryAfterSeconds: undefined }
    throw new PostroomError(response.url, { status, ...nothing })
  }
  const json = parseJson(text)
  const etag = headers.get('etag')
  if (etag !== null && !('etag' in json)) Object.defineProperty(json, 'etag', { value: etag })
  return json
}
