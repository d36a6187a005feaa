import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { keepProcess } from './keep-process.ts'

/** A process kept, with what was told of it: `ready` and `ended` are emitted as they come. */
function kept() {
  const told = new EventEmitter()
  const ends: (NodeJS.Signals | null)[] = []
  const process = keepProcess({
    entry: path.join(import.meta.dirname, 'testing-process.ts'),
    args: [],
    task: { type: 'task' },
    onLine: () => undefined,
    onReady: (pid) => told.emit('ready', pid),
    onEnded(ended) {
      ends.push(ended.signal)
      told.emit('ended', ended)
    },
  })
  return { process, told, ends }
}

test('a process that ends is started again, later each time, until it is asked to end', async () => {
  const { process: one, told, ends } = kept()
  await one.ready
  const pauses: number[] = []
  for (let n = 0; n < 2; n++) {
    const again = once(told, 'ready')
    told.once('ended', ({ againInMs }) => pauses.push(againInMs))
    process.kill(one.pid()!, 'SIGKILL')
    await again
  }
  const { code } = await one.stop()
  assert.equal(code, 0)
  assert.deepEqual(ends, ['SIGKILL', 'SIGKILL'])
  assert.equal(pauses[1], pauses[0]! * 2)
})

test('a process that was let go stays ended, also when a signal to all of them came first', async () => {
  const { process: one, ends } = kept()
  await one.ready
  one.letGo()
  process.kill(one.pid()!, 'SIGTERM')
  const { signal } = await one.stop()
  assert.equal(signal, 'SIGTERM')
  assert.deepEqual(ends, [])
})
