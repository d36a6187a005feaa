import { enqueue, type NewJob } from '../../platform/jobs/enqueue.ts'
import type { LaneDeps, TurnJob } from './lanes.ts'
import type { RunningTurns } from './turn/running-turns.ts'

/** The queue of a stream's turns: single mails never stand behind broadcasts and automations. */
export const SENDING_QUEUES = { broadcast: 'broadcasts', automation: 'broadcasts', email: 'default' } as const
/** A single mail goes before whatever else waits in its queue. */
const SINGLE_PRIORITY = 1

/** How messages get their turns, for the modules that make them and for the command line, which runs no turns. */
export function sendingLanes(running?: RunningTurns): LaneDeps {
  return {
    enqueueTurns: (tx, jobs) => enqueue(tx, jobs.map(turnJob)),
    tellTurns: () => running?.tell(),
  }
}

function turnJob({ jobId, runAt, sourceKind, ...lane }: TurnJob): NewJob {
  return {
    id: jobId,
    queue: SENDING_QUEUES[sourceKind],
    kind: 'send_messages',
    payload: { workspaceId: lane.workspaceId, streamId: lane.streamId, slot: lane.slot },
    groupKey: lane.workspaceId,
    priority: sourceKind === 'email' ? SINGLE_PRIORITY : 0,
    ...(runAt === undefined ? {} : { runAt }),
  }
}
