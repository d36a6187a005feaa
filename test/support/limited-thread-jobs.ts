import { parentPort } from 'node:worker_threads'

/** A thread for limited-thread.test.ts: it answers, works without end, takes memory without end, or throws. */
export type ThreadJob = 'answer' | 'work' | 'grow' | 'throw'

parentPort?.on('message', (job: ThreadJob) => {
  if (job === 'throw') throw new Error('as it was told')
  const kept: object[][] = []
  for (let n = 0; job !== 'answer'; n += 1) if (job === 'grow') kept.push(Array.from({ length: 10_000 }, () => ({ n })))
  parentPort?.postMessage('done')
})
parentPort?.postMessage('ready')
