import type pg from 'pg'
import { isDatabaseAway } from '../../platform/db/errors.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { insertHits } from './hit-queries.ts'
import { COMPANY_MS } from './judge-hit.ts'
import type { HitKind, RequestSignal } from './request-signals.ts'

/** A request for the picture or a link of a message. */
export type Hit = {
  workspaceId: string
  messageId: string
  kind: HitKind
  link: number | null
  url: string | null
  ip: string | null
  userAgent: string | null
  signals: RequestSignal[]
}

/** Takes hits without making anybody wait: who follows a link is led on while the hit is still on its way. */
export type HitRecorder = {
  record(hit: Hit): void
  /** Writes what is waiting. */
  stop(): Promise<void>
}

export type HitRecorderDeps = {
  sql: pg.Pool
  onError: (error: unknown) => void
}

/** Hits of this long are written together; that much is lost when the process is killed. */
const GATHER_MS = 200
const HITS_PER_WRITE_MAX = 1_000
/** Hits that wait for the database; what comes beyond them is not counted. */
const HITS_WAITING_MAX = 20_000
/** Judged when everything that can be part of the evidence has come. */
const JUDGE_AFTER_MS = COMPANY_MS + 1_000
const AGENT_CHARS_MAX = 300

type Waiting = Hit & { sinceMs: number }

/** One write at a time and process, of all that came meanwhile. */
export function createHitRecorder(deps: HitRecorderDeps): HitRecorder {
  const waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let stopped = false

  function writeSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void write()
    }, GATHER_MS)
  }

  async function write(): Promise<void> {
    writing ??= writeOnce().finally(() => {
      writing = undefined
      if (waiting.length > 0 && !stopped) writeSoon()
    })
    return writing
  }

  async function writeOnce(): Promise<void> {
    const taken = waiting.slice(0, HITS_PER_WRITE_MAX)
    try {
      if (taken.length > 0) await writeHits(deps.sql, taken)
      waiting.splice(0, taken.length)
    } catch (error) {
      // They wait for a database that is away; what it refuses is given up, or nothing behind it would ever be written.
      if (!isDatabaseAway(error)) waiting.splice(0, taken.length)
      deps.onError(error)
    }
  }

  return {
    record(hit) {
      if (waiting.length >= HITS_WAITING_MAX) return
      const userAgent = hit.userAgent?.slice(0, AGENT_CHARS_MAX) ?? null
      waiting.push({ ...hit, userAgent, sinceMs: performance.now() })
      writeSoon()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await writing
      // Until nothing is left, or the database does not take it.
      for (let left = Number.POSITIVE_INFINITY; waiting.length > 0 && waiting.length < left; ) {
        left = waiting.length
        await write()
      }
    },
  }
}

async function writeHits(sql: pg.Pool, hits: readonly Waiting[]): Promise<void> {
  const nowMs = performance.now()
  const aged = hits.map(({ sinceMs, ...hit }) => ({ ...hit, ageMs: Math.round(nowMs - sinceMs) }))
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const workspaceIds = await insertHits(tx, aged)
    await enqueue(tx, workspaceIds.map(judgeJob))
  })
}

/** One turn of judging waits for each workspace, however many hits come. */
export function judgeJob(workspaceId: string) {
  return {
    queue: 'default',
    kind: 'judge_hits',
    payload: { workspaceId },
    singletonKey: `judge_hits/${workspaceId}`,
    groupKey: workspaceId,
    delayMs: JUDGE_AFTER_MS,
  }
}
