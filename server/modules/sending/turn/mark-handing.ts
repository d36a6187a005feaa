import type pg from 'pg'
import { int8Array } from '../../../platform/db/arrays.ts'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'
import { IS_HELD } from '../../../platform/epoch/held.ts'
import { REFUSAL, RUN_ENDS } from '../ledger/refusal.ts'
import type { Claim } from './claim-messages.ts'

/** Messages marked by one statement; the rest goes with the next. */
const MARKS_MAX = 200

export type HandingMarks = {
  /**
   * Commits that the message is being handed over, unless it must not be: whoever had unsubscribed, was suppressed or whose
   * stream was closed when this statement began is not mailed, and nobody is while the installation is held. False then, and
   * when the claim is no longer this turn's.
   */
  mark(claim: Claim): Promise<boolean>
}

/**
 * Marks messages of all turns of this process together: while one statement is under way the next ones gather. It is the
 * last thing before a message goes out, so a failure is a no.
 */
export function createHandingMarks(pool: pg.Pool, onError: (error: unknown) => void): HandingMarks {
  let waiting: { claim: Claim; done: (mayGo: boolean) => void }[] = []
  let writing = false

  async function write(): Promise<void> {
    writing = true
    while (waiting.length > 0) {
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
      })
    },
  }
}

async function markAll(pool: pg.Pool, claims: readonly Claim[]): Promise<Set<string>> {
  const ids = (pick: (claim: Claim) => string | number) => int8Array(claims.map((claim) => String(pick(claim))))
  const rows = await queryInScope<{ id: string }>(pool, ALL_WORKSPACES, {
    name: 'mark_handing',
    text: `with given as materialized (
        select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[]) as g(workspace_id, message_id, slot, turn)
      ), fit as materialized (
        select q.row from given g
        cross join lateral (
          select ctid as row, stream_id, message_created_at from message_queue
          where workspace_id = g.workspace_id and message_id = g.message_id and slot = g.slot and turn = g.turn
          limit 1 for update) q
        cross join lateral (
          select * from messages where workspace_id = g.workspace_id and id = g.message_id
            and created_at = q.message_created_at offset 0) m
        where exists (select from send_streams s
            where s.workspace_id = g.workspace_id and s.id = q.stream_id and s.state = 'open')
          and coalesce(${REFUSAL}, ${RUN_ENDS}) is null and not ${IS_HELD}
      )
      update message_queue q set handing_at = clock_timestamp()
      where q.ctid = any (array(select row from fit)) returning q.message_id as id`,
    values: [
      ids(({ workspaceId }) => workspaceId),
      ids(({ id }) => id),
      ids(({ slot }) => slot),
      ids(({ turn }) => turn),
    ],
  })
  return new Set(rows.map(({ id }) => id))
}
