import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'

export type Noop = { baseUrl: string; token: string; stop(): Promise<void> }

/** A process of its own that answers `POST /api/events` without recording anything: the cost of HTTP alone. */
export async function startNoop(): Promise<Noop> {
  const child: ChildProcess = spawn(process.execPath, [path.join(import.meta.dirname, 'noop-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout! })
  const { value: port } = await lines[Symbol.asyncIterator]().next()
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    token: 'noop-token-of-the-benchmark-0123456789',
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
