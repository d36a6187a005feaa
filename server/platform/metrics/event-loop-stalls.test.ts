import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { watchEventLoop } from './event-loop-stalls.ts'

test('work that holds the only thread is recorded with its length once it is over', async () => {
  const stalls: number[] = []
  const end = watchEventLoop({ histogram: () => (seconds) => stalls.push(seconds) })
  try {
    // The watch begins with the first turn of its timer, not in the middle of this one.
    await new Promise((resolve) => setImmediate(resolve))
    const until = performance.now() + 300
    while (performance.now() < until);
    await eventually('a stall is recorded', () => stalls.some((seconds) => seconds >= 0.25))
  } finally {
    end()
  }
})
