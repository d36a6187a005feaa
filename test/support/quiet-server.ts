import type { HttpApp } from '../../server/platform/http/http-app.ts'
import { createHttpServer } from '../../server/platform/http/server.ts'
import { silentLogger } from '../../server/platform/http/testing.ts'
import { patienceOf } from './patience.ts'

/** A server for the routes of one module, that says nothing of its requests and takes its time. */
export function quietServer(reached: { trustProxy: boolean; https: boolean }): HttpApp {
  return createHttpServer({ logger: silentLogger, onRequestDone: () => undefined, ...patienceOf(), ...reached })
}
