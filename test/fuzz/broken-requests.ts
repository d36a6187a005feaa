import { gzipSync } from 'node:zlib'
import type { Operation } from '../contract/described-api.ts'

/** What is put on a connection, byte for byte, and how much of it. */
export type Spoken = { bytes: Buffer; sent: number; leave: Leave }
/**
 * How a client leaves: at once by RST; by FIN, reading on until the server ends; by RST once the server has said something; or not before
 * the server does.
 */
export type Leave = (typeof LEAVES)[number]
const LEAVES = ['reset', 'end', 'reset-when-answered', 'stay'] as const

/** Draws from a list, by a number in [0, 1). */
export type Random = () => number
const oneOf = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

const BOUNDARY = 'x-boundary-x'
/** Bytes of a body: nothing, a little, more than may be held for nothing, more than a route takes. */
const SIZES = [0, 2, 300, 20_000, 90_000, 400_000, 1_200_000, 1_200_000]
/** An id that nothing has: a run must not end its own token. */
const NOBODY = '900000000'
/** What is beside the described operations. */
const TARGETS = [
  'GET /readyz', 'GET /app/', 'GET /api/openapi.json', 'GET /e/u/nobody', 'POST /e/u/nobody', 'GET /e/o/nobody', 'POST /mcp', 'POST /oauth/token',
  'POST /oauth/register', 'POST /hooks/nobody/ses', 'POST /hooks/nobody/events', 'POST /hooks/nobody/mail', 'POST /collect/segment/v1/batch',
  'POST /collect/forms/nobody', 'OPTIONS /collect/forms/nobody', 'POST /site/auth/login', 'HEAD /', 'DELETE /', 'GET /%', 'GET //',
  'CONNECT example.com:443', 'PRI *', 'GET http://example.com/',
] // biome-ignore format: a list to be read across

/** Targets of requests: each operation that is described, and what is beside them. */
export function targetsOf(operations: readonly Operation[]): string[] {
  return [...operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, NOBODY)}`), ...TARGETS]
}

/** A conversation over HTTP that breaks somewhere, or nowhere. */
export function brokenRequest(random: Random, targets: readonly string[], token: string): Spoken {
  const count = random() < 0.2 ? 2 : 1
  const requests = Array.from({ length: count }, () => request(random, oneOf(random, targets), token))
  const bytes = Buffer.concat(requests)
  return { bytes, sent: cut(random, bytes.length), leave: oneOf(random, LEAVES) }
}

/** All of it, or as much as chance has it, with a head that is cut as often as a body. */
function cut(random: Random, length: number): number {
  const luck = random()
  if (luck < 0.55) return length
  return Math.floor(random() * (luck < 0.7 ? Math.min(length, 400) : length))
}

function request(random: Random, target: string, token: string): Buffer {
  const { type, content, encoding } = body(random)
  const head = [`${target} HTTP/${oneOf(random, ['1.1', '1.1', '1.1', '1.0', '2.0'])}`, 'Host: postroom.example']
  if (random() < 0.8) head.push(`Authorization: Bearer ${token}`)
  if (type !== undefined) head.push(`Content-Type: ${type}`)
  if (encoding !== undefined) head.push(`Content-Encoding: ${encoding}`)
  if (random() < 0.1) head.push('Expect: 100-continue')
  if (random() < 0.1) head.push(oneOf(random, ['Connection: close', 'Upgrade: websocket', 'X: \0', 'Range: bytes=0-']))
  const { headers, bytes } = framed(random, content)
  return Buffer.concat([Buffer.from(`${[...head, ...headers].join('\r\n')}\r\n\r\n`, 'latin1'), bytes])
}

function body(random: Random): { type: string | undefined; content: Buffer; encoding?: string } {
  const bytes = oneOf(random, SIZES)
  const type = oneOf(random, [
    'application/json',
    'application/json',
    'text/csv',
    `multipart/form-data; boundary=${BOUNDARY}`,
    'application/x-www-form-urlencoded',
    undefined,
  ])
  const rows = Buffer.from('email,name\nada@example.com,Ada\n'.repeat(Math.ceil(bytes / 30))).subarray(0, bytes)
  if (type === 'application/json') {
    const isWhole = random() < 0.5
    return { type, content: Buffer.from(isWhole ? `{"csv":"${'x'.repeat(bytes)}"}` : '['.repeat(Math.min(bytes, 300))) }
  }
  if (type?.startsWith('multipart')) {
    const begin = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="people.csv"\r\n\r\n`
    const end = random() < 0.7 ? `\r\n--${BOUNDARY}--\r\n` : ''
    return { type, content: Buffer.concat([Buffer.from(begin), rows, Buffer.from(end)]) }
  }
  if (random() < 0.3) {
    const packed = gzipSync(rows)
    return {
      type,
      encoding: 'gzip',
      content: random() < 0.5 ? packed : packed.subarray(0, Math.ceil(packed.length / 2)),
    }
  }
  return { type, content: rows }
}

/** A body as it goes over the wire: with its length, another length, in pieces, in pieces that are none, or two ways at once. */
function framed(random: Random, content: Buffer): { headers: string[]; bytes: Buffer } {
  const luck = random()
  if (luck < 0.4) return { headers: [`Content-Length: ${content.length}`], bytes: content }
  if (luck < 0.5) {
    const length = oneOf(random, [content.length + 1_000, Math.floor(content.length / 2), 3_000_000, -1, '1e3', '0x10'])
    return { headers: [`Content-Length: ${length}`], bytes: content }
  }
  const headers = ['Transfer-Encoding: chunked', ...(luck > 0.95 ? [`Content-Length: ${content.length}`] : [])]
  const bytesEach = oneOf(random, [1_000, 16_000, 100_000])
  const pieces: Buffer[] = []
  for (let at = 0; at < content.length; at += bytesEach) {
    const piece = content.subarray(at, at + bytesEach)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  const end = oneOf(random, ['0\r\n\r\n', '0\r\n\r\n', '0\r\nx: y\r\n\r\n', 'zz\r\n', ''])
  return { headers, bytes: Buffer.concat([...pieces, Buffer.from(end)]) }
}

const LINES = [
  'EHLO x', 'EHLO x', 'HELO x', 'MAIL FROM:<a@postroom.localhost>', 'MAIL FROM:<>', 'MAIL FROM:<a@b> SIZE=99999999999', 'RCPT TO:<b@example.com>',
  'RCPT TO:<b@bounces.example>', 'DATA', 'BDAT 10 LAST', 'RSET', 'NOOP', 'VRFY x', 'AUTH PLAIN', 'AUTH PLAIN AGRlZmF1bHQAbm9uc2Vuc2U=', 'AUTH LOGIN',
  'STARTTLS', 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2', '.', 'QUIT', 'x'.repeat(3_000), '\0\0\0', '\x16\x03\x01\x02\x00\x01', 'From: a@b', '', '..',
] // biome-ignore format: a list to be read across

/** A conversation with a mail server that breaks somewhere. */
export function brokenMail(random: Random): Spoken {
  const lines = Array.from({ length: Math.floor(random() * 14) }, () => oneOf(random, LINES))
  const whole = [
    'EHLO x',
    'MAIL FROM:<a@postroom.localhost>',
    'RCPT TO:<b@example.com>',
    'DATA',
    'Subject: x',
    '',
    'x'.repeat(900),
    '.',
  ]
  const said = [...(random() < 0.5 ? whole : []), ...lines].map((line) => `${line}${random() < 0.95 ? '\r\n' : '\n'}`)
  const bytes = Buffer.from(said.join(''), 'latin1')
  return { bytes, sent: cut(random, bytes.length), leave: oneOf(random, LEAVES) }
}
