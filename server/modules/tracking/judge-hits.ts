import type pg from 'pg'
import { inTransaction } from '../../platform/db/transaction.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { emailEvent } from '../sending/ledger/email-events.ts'
import { type Mark, markMessages } from '../sending/ledger/mark-messages.ts'
import { type HitRow, hitsToJudge, nextHitInMs, storeVerdicts } from './hit-queries.ts'
import { judgeHits, type Verdict } from './judge-hit.ts'
import { eraseHits } from './message-hits.ts'

/** Hits of one transaction. */
const HITS_PER_STEP_MAX = 1_000

export type JudgeDeps = {
  pool: pg.Pool
}

/**
 * Judges the hits of a workspace that are old enough: what people opened and clicked is noted on the messages, all of it
 * is told in events, at the times of the hits, and added to the broadcasts' totals. True when there may be more.
 */
export async function judgeDueHits(deps: JudgeDeps, workspaceId: string): Promise<boolean> {
  const judged = await inTransaction(deps.pool, workspaceId, async (tx) => {
    const around = await hitsToJudge(tx, workspaceId, HITS_PER_STEP_MAX)
    const due = around.filter(({ isDue }) => isDue)
    if (due.length === 0) return 0
    const verdicts = judgeHits(due, around)
    await storeVerdicts(
      tx,
      workspaceId,
      due.map((hit) => ({ messageId: hit.messageId, id: hit.id, verdict: verdicts.get(hit)! })),
    )
    const people = due.filter((hit) => verdicts.get(hit) === 'human')
    await markMessages(tx, workspaceId, people.map(markOf))
    const told = due.flatMap((hit) => (hit.destination ? [hitEvent(hit, hit.destination, verdicts.get(hit)!)] : []))
    await emitEvents(tx, workspaceId, told)
    // Stored while the erasure of its person went by and did not see it.
    const erased = due.filter(({ destination }) => destination === '')
    await eraseHits(
      tx,
      workspaceId,
      erased.map(({ messageId }) => messageId),
    )
    return due.length
  })
  return judged === HITS_PER_STEP_MAX
}

/** When to look again, in milliseconds: a hit may have come while the one that the job was made for waited. Null: never. */
export function nextJudgingInMs({ pool }: JudgeDeps, workspaceId: string): Promise<number | null> {
  return inTransaction(pool, workspaceId, (tx) => nextHitInMs(tx, workspaceId))
}

function markOf({ messageId, kind, at }: HitRow): Mark {
  return { messageId, kind: kind === 'open' ? 'opened' : 'clicked', at }
}

function hitEvent(hit: HitRow, destination: string, verdict: Verdict) {
  const message = { ...hit, id: hit.messageId, destination }
  const machine = verdict === 'machine'
  const event =
    hit.kind === 'open'
      ? emailEvent('email.opened', message, { machine })
      : emailEvent('email.clicked', message, { url: hit.url, link: hit.link, machine })
  return { ...event, occurredAt: hit.at }
}
