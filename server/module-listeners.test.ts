import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../test/support/silent-log.ts'
import { ListenError } from './listen-error.ts'
import { startListeners } from './module-listeners.ts'
import type { Listener } from './modules/module.ts'

test('of listeners of which one cannot listen, those before it are handed over to be closed, and none is started behind it', async () => {
  const started: string[] = []
  const closed: string[] = []
  const listener = (setting: string, error?: Error): Listener => ({
    setting,
    address: { host: '127.0.0.1', port: 1 },
    async start() {
      started.push(setting)
      if (error) throw error
      return { host: '127.0.0.1', port: 1, close: async () => void closed.push(setting) }
    },
  })
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
  const modules = [{ listeners: [listener('FIRST'), listener('SECOND', taken)] }, { listeners: [listener('THIRD')] }]
  const undo: { close(): Promise<void> }[] = []
  const starting = startListeners(modules, silentLog, (one) => undo.push(one))
  await assert.rejects(starting, (error) => error instanceof ListenError && /^SECOND 127/.test(error.message))
  for (const one of undo) await one.close()
  assert.deepEqual([started, closed], [['FIRST', 'SECOND'], ['FIRST']])
})
