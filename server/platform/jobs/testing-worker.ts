/** A worker process of its own for tests that kill or pause it. Its `held` jobs run until the parent says anything. */
import { createPool } from '../db/pool.ts'
import { QUEUE } from './testing.ts'
import { createWaker } from './wake.ts'
import { startWorkers } from './workers.ts'

export type WorkerMessage = { started: string } | { probed: string } | { trouble: string }

const send = (message: WorkerMessage) => process.send?.(message)
const ends: (() => void)[] = []
process.on('message', () => {
  for (const end of ends) end()
})
process.on('disconnect', () => process.exit())

const pool = createPool({ name: 'pgx', url: process.argv[2]!, max: 4 })
startWorkers({
  pool,
  waker: createWaker(pool),
  queues: [{ name: QUEUE, concurrency: 5, pollMs: 50 }],
  kinds: [
    {
      kind: 'held',
      queue: QUEUE,
      async run(job) {
        send({ started: job.id })
        await new Promise<void>((resolve) => ends.push(resolve))
        return { outcome: 'ok' }
      },
    },
    {
      kind: 'probe',
      queue: QUEUE,
      async run(job) {
        send({ probed: job.id })
        return { outcome: 'ok' }
      },
    },
  ],
  onAttempt: () => undefined,
  onTrouble: ({ trouble }) => send({ trouble }),
})
