import { parentPort } from 'node:worker_threads'
import type { Walked, WalkJob } from './simulator.ts'
import { walkPeople } from './walk-people.ts'

function walked({ plan, page }: WalkJob): Walked {
  try {
    return { outcome: 'walked', tallied: walkPeople(plan, page) }
  } catch (error) {
    return { outcome: 'broken', error: error instanceof Error ? `${error.stack}` : String(error) }
  }
}

parentPort?.on('message', (job: WalkJob) => parentPort?.postMessage(walked(job)))
parentPort?.postMessage('ready')
