import type pg from 'pg'
import { Bell } from '../../../platform/bell.ts'
import { type Clock, systemClock } from '../../../platform/clock.ts'
import { int8Array } from '../../../platform/db/arrays.ts'
import { spanOf } from '../../../platform/db/span-of.ts'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'
import { IS_HELD } from '../../../platform/epoch/held.ts'
import { queuedRefusal } from '../ledger/refusal.ts'
import type { Claim } from './claim-messages.ts'

/** Messages marked by one statement; the rest goes with the next. */
const MARKS_MAX = 200
/**
 * How soon after one statement began the next one may, unless so many wait by then. It takes the database as long for one
 * message as for eight (1 ms), and without a pause a fast server is asked for two or three at a time.
 */
const GATHER_MS = 10
const GATHERED = 16

export type HandingMarks = {
  /**
   * Commits that the message is being handed over, unless it must not be: whoever had unsubscribed, was suppressed or whose
   * stream was closed when this statement began is not mailed, and nobody is while the installation is held. False then, and
   * when the claim is no longer this turn's.
   */
  mark(claim: Claim): Promise<boolean>
}

/**
 * Marks messages of all turns of this process together: while one statement is under way, and for a moment after it, the
 * next ones gather; one that comes alone goes at once. It is the last thing before a message goes out, so a failure is a no.
 */
export function createHandingMarks(
  pool: pg.Pool,
  onError: (error: unknown) => void,
  clock: Clock = systemClock,
): HandingMarks {
  let waiting: { claim: Claim; done: (mayGo: boolean) => void }[] = []
  let writing = false
  let mayBeginAt = Number.NEGATIVE_INFINITY
  let enough: Bell | undefined

  async function write(): Promise<void> {
    writing = true
    while (waiting.length > 0) {
      const earlyMs = mayBeginAt - clock.nowMs()
      if (earlyMs > 0 && waiting.length < GATHERED) {
        enough = new Bell()
        await enough.wait(earlyMs, clock)
        enough = undefined
      }
      mayBeginAt = clock.nowMs() + GATHER_MS
      const batch = waiting.slice(0, MARKS_MAX)
      waiting = waiting.slice(batch.length)
      const marked = await markAll(
        pool,
        batch.map(({ claim }) => claim),
      ).catch((error: unknown) => {
        onError(error)
        return new Set<string>()
      })
      for (const { claim, done } of batch) done(marked.has(claim.id))
    }
    writing = false
  }

  return {
    mark(claim) {
      return new Promise((done) => {
        waiting.push({ claim, done })
        if (!writing) void write()
        else if (waiting.length === GATHERED) enough?.ring()
      })
    },
  }
}

async function markAll(pool: pg.Pool, claims: readonly Claim[]): Promise<Set<string>> {
  const ids = (pick: (claim: Claim) => string | number) => int8Array(claims.map((claim) => String(pick(claim))))
  const ofAutomations = claims.some(({ sourceKind }) => sourceKind === 'automation')
  const rows = await queryInScope<{ id: string }>(pool, ALL_WORKSPACES, {
    ...(ofAutomations ? MARK_RUNS_TOO : MARK),
    values: [
      ids(({ workspaceId }) => workspaceId),
      ids(({ id }) => id),
      ids(({ slot }) => slot),
      ids(({ turn }) => turn),
      ...spanOf(claims.map(({ createdAt }) => createdAt)),
    ],
    plan: 'once',
  })
  return new Set(rows.map(({ id }) => id))
}

/**
 * The places hold: a claim is changed and stays its turn's by that turn alone, before this (`endHeld`) and by this. They are locked in the
 * order of their messages, as by all others: a turn that is taken over gives its claims back at that moment.
 */
const markText = (ofAutomations: boolean) => `with given as materialized (
    select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[]) as g(workspace_id, message_id, slot, turn)
    order by message_id
  ), fit as materialized (
    select q.row from given g
    cross join lateral (
      select ctid as row, stream_id from message_queue
      where workspace_id = g.workspace_id and message_id = g.message_id and slot = g.slot and turn = g.turn
      limit 1 for update) q
    cross join lateral (
      select * from messages where workspace_id = g.workspace_id and id = g.message_id
        and created_at >= $5 and created_at < $6 offset 0) m
    where exists (select from send_streams s
        where s.workspace_id = g.workspace_id and s.id = q.stream_id and s.state = 'open')
      and ${queuedRefusal(ofAutomations)} is null and not ${IS_HELD}
  )
  update message_queue q set handing_at = clock_timestamp()
  where q.ctid = any (array(select row from fit)) returning q.message_id as id`

const MARK = { name: 'mark_handing', text: markText(false) }
const MARK_RUNS_TOO = { name: 'mark_handing_of_runs', text: markText(true) }
