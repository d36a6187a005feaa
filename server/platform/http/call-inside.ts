import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { REQUEST_ID_HEADER } from './request-id.ts'

/** A request that one route makes to another of the same server. */
export type InsideCall = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Its path, with the query. */
  path: string
  /** Sent as JSON. */
  body?: object | undefined
  headers?: Readonly<Record<string, string>>
}

/** `body` is the parsed JSON, or undefined when the answer has none. */
export type InsideAnswer = { status: number; body: unknown }

const within = new AsyncLocalStorage<true>()

/** Whether the request at hand was made by another one of this server: it is not counted a second time. */
export function isInside(): boolean {
  return within.getStore() === true
}

/**
 * Calls a route in the name of whoever sent `outer`: with their credentials, address and request id, and past every check that
 * a request from outside meets. No connection is made.
 */
export async function callInside(
  app: FastifyInstance,
  outer: FastifyRequest,
  { method, path, body, headers }: InsideCall,
): Promise<InsideAnswer> {
  const { authorization } = outer.headers
  const answer = await within.run(true, async () =>
    app.inject({
      method,
      url: path,
      remoteAddress: outer.address,
      headers: {
        [REQUEST_ID_HEADER]: String(outer.id),
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    }),
  )
  const isJson = /^application\/(?:problem\+)?json/.test(String(answer.headers['content-type']))
  return { status: answer.statusCode, body: isJson && answer.body !== '' ? JSON.parse(answer.body) : undefined }
}
