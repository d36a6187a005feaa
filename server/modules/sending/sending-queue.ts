import { enqueue, type NewJob } from '../../platform/jobs/enqueue.ts'
import type { LaneDeps, TurnJob } from './lanes.ts'
import type { RunningTurns } from './turn/running-turns.ts'

/** The queue of a stream's turns: single mails never stand behind broadcasts. */
export const SENDING_QUEUES = { broadcast: 'broadcasts', transactional: 'default' } as const
/** A single mail goes before whatever else waits in its queue. */
const TRANSACTIONAL_PRIORITY = 1

/** What queues messages, for the modules that make them and for the command line. */
export type SendingQueue = LaneDeps & {
  /** Tells running turns and workers, after the commit, that messages were queued. */
  onQueued(): void
}

export type QueueDeps = { wakeQueue: (queue: string) => void; running?: RunningTurns }

export function sendingQueue({ wakeQueue, running }: QueueDeps): SendingQueue {
  return {
    enqueueTurns: (tx, jobs) => enqueue(tx, jobs.map(turnJob)),
    onQueued() {
      running?.tell()
      for (const queue of Object.values(SENDING_QUEUES)) wakeQueue(queue)
    },
  }
}

function turnJob({ jobId, runAt, surface, ...lane }: TurnJob): NewJob {
  return {
    id: jobId,
    queue: SENDING_QUEUES[surface],
    kind: 'send_messages',
    payload: { workspaceId: lane.workspaceId, streamId: lane.streamId, slot: lane.slot },
    groupKey: lane.workspaceId,
    priority: surface === 'transactional' ? TRANSACTIONAL_PRIORITY : 0,
    ...(runAt === undefined ? {} : { runAt }),
  }
}
