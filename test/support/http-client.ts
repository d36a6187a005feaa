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

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

function decoded(bytes: Buffer, encoding: string | string[] | undefined): string {
  const decode = DECODERS[String(encoding)]
  return (decode && bytes.length > 0 ? decode(bytes) : bytes).toString('utf8')
}
