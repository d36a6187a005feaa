import { parentPort } from 'node:worker_threads'
import { playScenarios, type ScenarioJob } from './play-scenarios.ts'
import type { Played } from './scenario-player.ts'

function played(job: ScenarioJob): Played {
  try {
    return { outcome: 'played', results: playScenarios(job) }
  } catch (error) {
    return { outcome: 'broken', error: error instanceof Error ? `${error.stack}` : String(error) }
  }
}

parentPort?.on('message', (job: ScenarioJob) => parentPort?.postMessage(played(job)))
parentPort?.postMessage('ready')
