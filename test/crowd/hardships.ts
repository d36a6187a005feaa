import type { Behaviour } from '../support/receiver-behaviour.ts'
import type { CrowdWorld } from './world.ts'

/** Blows that the service gets while the crowd acts; none of those that are not named. */
export type Hardships = {
  /** Acts between two kills of a process that works; there have to be several processes. */
  actsPerKill?: number
  /** The mail server refuses and breaks off now and then, and so does who receives webhooks. */
  moods?: boolean
}

/** Of a hundred deliveries so many are not taken. */
const REFUSED_PERCENT = 10

/** The behaviour of a receiver with moods. */
export function moodOf(random: () => number): () => Behaviour {
  return () => {
    if (random() * 100 >= REFUSED_PERCENT) return { kind: 'answer' }
    return random() < 0.5 ? { kind: 'answer', status: 503 } : { kind: 'reset' }
  }
}

const STARTED = /"started":"(worker-\d+)","processId":(\d+)/g

/**
 * Ends one of the processes that work at each call, as a machine without memory does. A call answers whether one was there: a process that
 * was killed is away for a while.
 */
export function createKiller({ instance }: CrowdWorld, random: () => number): () => boolean {
  const killed = new Set<number>()
  return () => {
    const newest = new Map<string, number>()
    for (const [, name, id] of instance.output().matchAll(STARTED)) newest.set(name!, Number(id))
    const alive = [...newest.values()].filter((id) => !killed.has(id))
    const id = alive[Math.floor(random() * alive.length)]
    if (id === undefined) return false
    killed.add(id)
    return process.kill(id, 'SIGKILL')
  }
}
