import type { Transaction } from '../db/transaction.ts'
import { IN_RANGE, queryRange, type Range } from './range.ts'

/** How far apart ticks are. */
const TICK_MS = 10_000
/** How long they are kept: as long as anybody may ask where the log was. */
const TICKS_KEPT_DAYS = 401

/**
 * SQL: when a range has been handled, and its last position. The clock may have gone back since the range was recorded, as after a failover:
 * what is behind it is not recorded before it for that.
 */
const HANDLED = `select greatest(postroom_clock(), max(recorded_at)) as at, max(position) as position
  from (select recorded_at, position from ${IN_RANGE}) range`

/** SQL, for the statements of handlers: whether a tick is due. */
export const TICK_DUE = `not exists (select from log_ticks
  where at > (select at from (${HANDLED}) handled) - interval '${TICK_MS} milliseconds')`

/** Notes how far a group has come, once in a while: everything that was recorded after a tick has a higher position. A range without rows notes nothing. */
export async function noteTick(tx: Transaction, range: Range): Promise<void> {
  await queryRange(tx, range, {
    name: 'note_log_tick',
    text: `with handled as materialized (${HANDLED}), gone as (
        delete from log_ticks where at < (select at from handled) - interval '${TICKS_KEPT_DAYS} days'
      )
      insert into log_ticks (at, position) select at, position from handled where position is not null on conflict do nothing`,
  })
}

/** SQL: a position below those of all events that were recorded after a moment. */
export const positionBefore = (moment: string) =>
  `coalesce((select position from log_ticks where at <= ${moment} - interval '60 s' order by at desc limit 1), 0)`
