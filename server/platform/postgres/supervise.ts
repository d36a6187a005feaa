import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { trimLog } from './server-log.ts'
import { type Server, stopServer } from './server-process.ts'
import { type ServerSpec, startServer } from './start-server.ts'

export type Supervision = {
  /** The server as it is now; the last one while it is being brought back. */
  current(): Server
  /** Stops the server, or the attempt to bring it back. */
  stop(): Promise<void>
  /** Leaves the server running and looks after it no more. */
  leave(): Promise<void>
}

/** A server that ran this long counts as healthy: its end does not add to the pauses. */
const HEALTHY_AFTER_MS = 30_000
const PAUSE_FIRST_MS = 250
const PAUSE_MAX_MS = 5_000
const TRIM_LOG_EVERY_MS = 60_000

/** Brings the server back on its port whenever it ends, at once the first time and then in growing pauses. */
export function supervise(first: Server, spec: ServerSpec, onRestart?: () => void): Supervision {
  const ending = new AbortController()
  let server = first
  let startedAt = Date.now()
  let failures = 0
  const trimming = setInterval(() => trimLog(spec.logFile).catch(() => undefined), TRIM_LOG_EVERY_MS).unref()
  const watching = watch()

  async function watch(): Promise<void> {
    const asked = once(ending.signal, 'abort').then(() => undefined)
    for (;;) {
      const how = await Promise.race([server.ended, asked])
      if (ending.signal.aborted) return
      if (Date.now() - startedAt > HEALTHY_AFTER_MS) failures = 0
      spec.log.error({ serverPid: server.pid, how }, 'the database server ended, bringing it back')
      const next = await bringBack()
      if (next === undefined) return
      server = next
      startedAt = Date.now()
      spec.log.info({ serverPid: server.pid, port: server.port }, 'the database server is back')
      onRestart?.()
    }
  }

  async function bringBack(): Promise<Server | undefined> {
    while (!ending.signal.aborted) {
      try {
        await sleep(pauseMs(failures++), undefined, { signal: ending.signal })
        return await startServer(spec, ending.signal)
      } catch (error) {
        if (!ending.signal.aborted) spec.log.error({ err: error, failures }, 'the database server could not be started')
      }
    }
    return undefined
  }

  async function leave(): Promise<void> {
    ending.abort()
    clearInterval(trimming)
    await watching
  }

  async function stop(): Promise<void> {
    await leave()
    await stopServer(server)
  }

  return { current: () => server, stop, leave }
}

/** 0, then 250 ms, doubling up to 5 s. */
function pauseMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** (failures - 1))
}
