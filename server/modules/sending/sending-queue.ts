import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import type { Lane, LaneDeps, StreamKind, TurnJob } from './lanes.ts'
import type { RunningTurns } from './turn/running-turns.ts'

/** A single mail goes before whatever else waits in its queue. */
const SINGLE_PRIORITY = 1

const SEND_MESSAGES = { kind: 'send_messages', groupKey: ({ workspaceId }: Lane) => workspaceId }

export const SEND_CAMPAIGNS = jobKind<Lane>({ ...SEND_MESSAGES, queue: 'broadcasts' })
export const SEND_SINGLES = jobKind<Lane>({ ...SEND_MESSAGES, queue: 'default', priority: SINGLE_PRIORITY })

/** The turns of a stream: single mails never stand behind broadcasts and automations. */
const TURNS = { broadcast: SEND_CAMPAIGNS, automation: SEND_CAMPAIGNS, email: SEND_SINGLES } as const

/** How messages get their turns, for the modules that make them and for the command line, which runs no turns. */
export function sendingLanes(running?: RunningTurns): LaneDeps {
  return {
    async enqueueTurns(tx, jobs) {
      for (const [sourceKind, of] of Map.groupBy(jobs, (job): StreamKind => job.sourceKind)) {
        await enqueueAll(tx, TURNS[sourceKind], of.map(turnOf))
      }
    },
    tellTurns: () => running?.tell(),
  }
}

function turnOf({ jobId: id, runAt, workspaceId, streamId, slot }: TurnJob) {
  return { id, runAt, payload: { workspaceId, streamId, slot } }
}
