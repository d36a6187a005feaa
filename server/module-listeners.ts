import { explainListen } from './listen-error.ts'
import type { Module } from './modules/module.ts'
import type { Logger } from './platform/telemetry/logger.ts'

/**
 * Starts the listeners of all modules, one after the other. Each that listens is handed to `onStarted` at once: when the
 * next one cannot, somebody has it to close.
 */
export async function startListeners(
  modules: readonly Module[],
  log: Pick<Logger, 'info'>,
  onStarted: (listener: { close(): Promise<void> }) => void,
): Promise<void> {
  for (const { setting, address, start } of modules.flatMap((module) => module.listeners ?? [])) {
    const started = await start().catch((error: unknown) => {
      throw explainListen(`${setting} ${address.host ?? ''}:${address.port}`, error)
    })
    onStarted(started)
    log.info({ setting, host: started.host, port: started.port }, 'a listener of its own')
  }
}
