import type { Transaction } from '../db/transaction.ts'

/** How far apart ticks are. */
const TICK_MS = 10_000
/** How long they are kept: as long as anybody may ask where the log was. */
const TICKS_KEPT_DAYS = 401

/**
 * Notes how far the log's numbers have come, once in a while: everything that was recorded after a tick has a higher one.
 */
export async function noteTick(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'note_log_tick',
    text: `with due as materialized (
        select postroom_clock() as at where not exists (
          select from log_ticks where at > postroom_clock() - interval '${TICK_MS} milliseconds')
      ), gone as (
        delete from log_ticks where at < (select at from due) - interval '${TICKS_KEPT_DAYS} days'
      )
      insert into log_ticks (at, position) select due.at, s.last_value from due, outbox_position s on conflict do nothing`,
  })
}

/** SQL: a position below those of all events that were recorded after a moment. */
export const positionBefore = (moment: string) =>
  `coalesce((select position from log_ticks where at <= ${moment} - interval '60 s' order by at desc limit 1), 0)`
