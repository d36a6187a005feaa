import { waitToRetry } from './busy-server.ts'
import { parseJson } from './parse-json.ts'
import { noAnswer, problemOf, SiteProblem } from './problem.ts'
import { loggedInAgain } from './session-end.ts'
import type { Operations } from './site-types.ts'
import { SLUG } from './workspace-here.ts'

export type Operation = keyof Operations
export type AnswerOf<K extends Operation> = Operations[K]['answer']
export type QueryOf<K extends Operation> = Exclude<Operations[K]['query'], undefined>
export type BodyOf<K extends Operation> = Operations[K]['body']

/** Fields that an operation has; those it has none of are left out. */
type Part<Name extends string, T> = [T] extends [undefined] ? { [N in Name]?: undefined } : { [N in Name]: T }
export type RequestOf<K extends Operation> = Part<'params', Operations[K]['params']> & {
  query?: Operations[K]['query']
} & (Part<'body', Operations[K]['body']> | { body?: undefined; file: Upload }) & {
    /** The entity tag the change is of; 412 when somebody else was faster. */
    ifMatch?: string | undefined
    /** Of one act, however often it is sent: it is carried out once. Made anew where none is given. */
    idempotencyKey?: string
    signal?: AbortSignal
    /** Told how many bytes of a file have gone. */
    onSent?: (bytes: number) => void
  }

/** Sent as it is, instead of JSON, where an operation takes a file. */
export type Upload = { content: Blob; type: string }

/** A request of any operation. */
type Sent = {
  params?: Record<string, string>
  query?: object
  body?: unknown
  ifMatch?: string
  idempotencyKey?: string
  signal?: AbortSignal
  file?: Upload
  onSent?: (bytes: number) => void
}

export type Tagged<T> = { value: T; etag: string | undefined }

const TRIES_MAX = 4
const RETRY_SECONDS = 1
const RETRY_SECONDS_MAX = 30

/** Asks the server, `site('GET /contacts', { query: { page: 2 } })`. Throws a `SiteProblem` for every other answer. */
export async function site<K extends Operation>(operation: K, request: RequestOf<K>): Promise<AnswerOf<K>> {
  return (await siteTagged(operation, request)).value
}

/** The same with the entity tag of the answer, for `ifMatch` on a change of it. */
export async function siteTagged<K extends Operation>(
  operation: K,
  request: RequestOf<K>,
): Promise<Tagged<AnswerOf<K>>> {
  const sent = request as Sent
  const init = initOf(operation, sent)
  const url = urlOf(operation, sent)
  // A read, or an act under a key that makes its repeat harmless.
  const mayRepeat = init.method === 'GET' || new Headers(init.headers).has('idempotency-key')
  for (let tries = 1; ; tries += 1) {
    const answer = await answerOf(url, init, sent.onSent)
    if (answer instanceof Response) return readAnswer<AnswerOf<K>>(answer)
    if (answer.status === 401 && answer.code === 'no-session') await loggedInAgain()
    else if (mayRepeat && answer.passes && tries < TRIES_MAX) {
      const seconds = Math.min(answer.retryAfterSeconds ?? RETRY_SECONDS * tries, RETRY_SECONDS_MAX)
      await waitToRetry(seconds, sent.signal)
    } else throw isNoId(init, sent, answer) ? new SiteProblem({ ...answer, ...NOTHING_HERE }) : answer
  }
}

const NOTHING_HERE = { status: 404, code: 'not-found', title: 'There is nothing here', detail: undefined, errors: [] }

/** What could be nobody's id is an id of nothing, as one that nobody has. */
function isNoId({ method }: RequestInit, { params = {} }: Sent, { status, errors }: SiteProblem): boolean {
  return (
    method === 'GET' && status === 400 && errors.length > 0 && errors.every(({ pointer }) => pointer.slice(1) in params)
  )
}

/** The address of an operation; for downloads, which the browser fetches by itself. */
export function siteUrl<K extends Operation>(operation: K, request: Pick<RequestOf<K>, 'params' | 'query'>): string {
  return urlOf(operation, request as Sent)
}

function urlOf(operation: Operation, { params, query }: Sent): string {
  const path = operation.slice(operation.indexOf(' ') + 1)
  const whole = path.startsWith('/site/') ? path : `/site/workspaces/${SLUG}${path === '/' ? '' : path}`
  return filled(whole, params) + searchOf(query)
}

export function filled(path: string, params: Record<string, string> | undefined): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params?.[name] ?? ''))
}

export function searchOf(query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`
}

function initOf(operation: Operation, request: Sent): RequestInit {
  const method = operation.slice(0, operation.indexOf(' '))
  const { body, file, ifMatch, idempotencyKey, signal } = request
  const headers: Record<string, string> = { accept: 'application/json, text/csv, */*;q=0.1' }
  if (file) headers['content-type'] = file.type
  else if (body !== undefined) headers['content-type'] = 'application/json'
  if (ifMatch !== undefined) headers['if-match'] = ifMatch
  if (method === 'POST' && !file && !operation.endsWith('/preview'))
    headers['idempotency-key'] = idempotencyKey ?? newKey()
  const content = file ? file.content : body === undefined ? undefined : JSON.stringify(body)
  return { method, headers, ...(content === undefined ? {} : { body: content }), ...(signal ? { signal } : {}) }
}

/** `crypto.randomUUID` is there on https and localhost alone. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function answerOf(url: string, init: RequestInit, onSent: Sent['onSent']): Promise<Response | SiteProblem> {
  let response: Response
  try {
    const send = onSent && (await import('./send-watched.ts')).sendWatched
    response = await (send ? send(url, init, onSent) : fetch(url, init))
  } catch (error) {
    if (init.signal?.aborted) throw error
    return noAnswer()
  }
  return response.ok ? response : problemOf(response)
}

async function readAnswer<T>(response: Response): Promise<Tagged<T>> {
  const etag = response.headers.get('etag') ?? undefined
  if (response.status === 204) return { value: null as T, etag }
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const text = await response.text()
  return { value: (isJson ? parseJson(text) : text) as T, etag }
}
