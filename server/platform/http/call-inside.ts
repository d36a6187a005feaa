import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseForeignJson } from '../json/exact-json.ts'
import { IDEMPOTENCY_KEY_HEADER } from './idempotency-key.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

/** A request that one route makes to another of the same server. */
export type InsideCall = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Its path, with the query. */
  path: string
  /** Sent as JSON. */
  body?: object | undefined
  headers?: Readonly<Record<string, string>>
  /** Makes it one with others under the same key: for so long after the first they are answered as it was. */
  once?: { key: string; seconds: number } | undefined
}

/** `body` is the parsed JSON, with each digit of its numbers, or undefined when the answer has none. */
export type InsideAnswer = { status: number; body: unknown }

const within = new AsyncLocalStorage<Pick<InsideCall, 'once'>>()

/** Whether the request at hand was made by another one of this server: it is not counted a second time. */
export function isInside(): boolean {
  return within.getStore() !== undefined
}

/** How long the key of the request at hand is known, where that was said by the one that made it. */
export function keySecondsInside(): number | undefined {
  return within.getStore()?.once?.seconds
}

/**
 * Calls a route in the name of whoever sent `outer`: with their credentials, address and request id, and past every check that
 * a request from outside meets. No connection is made.
 */
export async function callInside(
  app: FastifyInstance,
  outer: FastifyRequest,
  { method, path, body, headers, once }: InsideCall,
): Promise<InsideAnswer> {
  const { authorization } = outer.headers
  const answer = await within.run({ once }, async () =>
    app.inject({
      method,
      url: path,
      remoteAddress: outer.address,
      headers: {
        [REQUEST_ID_HEADER]: String(outer.id),
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(once === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: once.key }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    }),
  )
  const isJson = /^application\/(?:problem\+)?json/.test(String(answer.headers['content-type']))
  return { status: answer.statusCode, body: isJson && answer.body !== '' ? parseForeignJson(answer.body) : undefined }
}
