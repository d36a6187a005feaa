import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../problem.ts'

/** draft-ietf-httpapi-idempotency-key-header, section 2. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key'
export const IDEMPOTENCY_KEY_CHARS_MAX = 255
/** Marks an answer that was recorded for an earlier request. */
export const REPLAYED_HEADER = 'idempotent-replayed'

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`)

/** Headers that belong to the answer itself rather than to the exchange it went out in. */
const KEPT_HEADERS = ['content-type', 'etag', 'location'] as const

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body's bytes, when the request has an Idempotency-Key and a JSON body. */
    bodyHash: string | undefined
  }
  interface FastifyContextConfig {
    /** Marks a route whose answer holds what is shown once: it is not kept for repeats. */
    shownOnce?: true
  }
}

/** An answer as it went out, to be given again. */
export type RecordedAnswer = { status: number; headers: Record<string, string>; body: string }

/** The request's `Idempotency-Key`, if it has one. Throws 400 for one that is not 1 to 255 visible ASCII characters. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const key = request.headers[IDEMPOTENCY_KEY_HEADER]
  if (key === undefined) return undefined
  if (typeof key === 'string' && KEY.test(key)) return key
  const detail = `must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`
  throw invalid([{ pointer: '/Idempotency-Key', detail }])
}

/**
 * The hash by which a repeat is known as the same request: of method, path, query and the bytes of the body. A body
 * that is not read as a whole before its handler counts with its length and type.
 */
export function fingerprintOf(request: FastifyRequest): Buffer {
  const { 'content-length': length = '', 'content-type': type = '' } = request.headers
  const body = request.bodyHash ?? (request.body === undefined ? '' : `${length} ${type}`)
  return hash('sha256', `${request.method}\n${request.url}\n${body}`, 'buffer')
}

/** The part of an answer that is recorded, on its way out. */
export function answerOf(reply: FastifyReply, payload: unknown): RecordedAnswer | undefined {
  if (payload !== undefined && payload !== null && typeof payload !== 'string') return undefined
  const headers: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const value = reply.getHeader(name)
    if (typeof value === 'string') headers[name] = value
  }
  return { status: reply.statusCode, headers, body: payload ?? '' }
}

/** Gives a recorded answer again. */
export function replay(reply: FastifyReply, { status, headers, body }: RecordedAnswer): FastifyReply {
  reply.code(status).headers(headers).header(REPLAYED_HEADER, 'true')
  return body === '' ? reply.send() : reply.send(body)
}
