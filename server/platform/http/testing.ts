import type { FastifyBaseLogger } from 'fastify'

const nothing = () => undefined

/** A logger for tests that look at what happens, not at what is said about it. */
export const silentLogger: FastifyBaseLogger = {
  level: 'silent',
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
  silent: nothing,
  child: () => silentLogger,
}
