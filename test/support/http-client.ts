import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { request } from 'undici'

export type Call = {
  /** A bearer token. */
  token?: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is, instead of `json`. */
  body?: string | Buffer
}

/** The answer that came back; `json` is the parsed body, or undefined when it is no JSON. */
export type Answer = Awaited<ReturnType<typeof send>>

/** Sends one request and reads the whole answer, whatever its status. */
export async function send(method: string, url: string, call: Call = {}) {
  const { statusCode, headers, body } = await request(url, {
    method: method as 'GET',
    headers: {
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    body: call.body ?? (call.json === undefined ? null : JSON.stringify(call.json)),
  })
  const text = decoded(Buffer.from(await body.arrayBuffer()), headers['content-encoding'])
  const isJson = /^application\/([\w.+-]+\+)?json/.test(String(headers['content-type'])) && text !== ''
  return { method, url, status: statusCode, headers, text, json: isJson ? JSON.parse(text) : undefined }
}

const PATIENCE_MS = 60_000

/**
 * Sends a request as the guides advise: what was answered with 503 is sent again after a while, under the same key, so that it
 * takes effect once. A busy machine may not make a first layout in the two seconds that an answer has.
 */
export async function sendPatiently(method: string, url: string, call: Call = {}): Promise<Answer> {
  const key: Record<string, string> = method === 'POST' ? { 'idempotency-key': randomUUID() } : {}
  const untilMs = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await send(method, url, { ...call, headers: { ...key, ...call.headers } })
    const isBusy = answer.status === 503 || answer.json?.code === 'request-in-flight'
    if (!isBusy || performance.now() > untilMs) return answer
    await delay(Number(answer.headers['retry-after'] ?? 1) * 1_000)
  }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

function decoded(bytes: Buffer, encoding: string | string[] | undefined): string {
  const decode = DECODERS[String(encoding)]
  return (decode && bytes.length > 0 ? decode(bytes) : bytes).toString('utf8')
}
