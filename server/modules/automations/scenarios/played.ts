import { parentPort } from 'node:worker_threads'

export type Played<Results> = { outcome: 'played'; results: Results } | { outcome: 'broken'; error: string }

/** Answers each job that comes to this thread by what comes of it. */
export function answerJobs<Job, Results>(play: (job: Job) => Results): void {
  const played = (job: Job): Played<Results> => {
    try {
      return { outcome: 'played', results: play(job) }
    } catch (error) {
      return { outcome: 'broken', error: error instanceof Error ? `${error.stack}` : String(error) }
    }
  }
  parentPort?.on('message', (job: Job) => parentPort?.postMessage(played(job)))
  parentPort?.postMessage('ready')
}
