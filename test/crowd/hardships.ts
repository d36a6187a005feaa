import type { Behaviour } from '../support/receiver-behaviour.ts'
import type { CrowdWorld } from './world.ts'

/** Blows that the service gets while the crowd acts; none of those that are not named. */
export type Hardships = {
  /** Acts between two kills of a process; there have to be several processes. */
  actsPerKill?: number
  /** Processes of which one is killed: those that work when it is not said, or the one that answers. */
  killed?: 'workers' | 'web'
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

/** Mail may be with a server that nobody hears any more: its turn was killed, or the server has moods. */
export const leavesMailUncertain = ({ actsPerKill, killed, moods }: Hardships): boolean =>
  moods === true || (actsPerKill !== undefined && killed !== 'web')

const STARTED = { workers: /"started":"(worker-\d+)","processId":(\d+)/g, web: /"started":"(web)","processId":(\d+)/g }
/** A repeat need not wait until nobody can be at work on the request any more: the one who was is gone. */
const END_LEASES = 'update idempotency_keys set leased_until = now() where status is null'

/**
 * Ends one of the processes at each call, as a machine without memory does. A call answers whether one was there: a process that
 * was killed is away for a while.
 */
export function createKiller({ instance, killed: kind }: CrowdWorld, random: () => number): () => Promise<boolean> {
  const gone = new Set<number>()
  return async () => {
    const newest = new Map<string, number>()
    for (const [, name, id] of instance.output().matchAll(STARTED[kind])) newest.set(name!, Number(id))
    const alive = [...newest.values()].filter((id) => !gone.has(id))
    const id = alive[Math.floor(random() * alive.length)]
    if (id === undefined) return false
    gone.add(id)
    process.kill(id, 'SIGKILL')
    if (kind === 'web') await instance.sql(END_LEASES)
    return true
  }
}
