import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { MINUTE_SECONDS } from '../../platform/durations.ts'
import type { Stream } from './lanes.ts'
import type { HoldReason } from './message-states.ts'

/**
 * Holds that nothing but another try can end, with the pause after the first and the longest one: it doubles with each
 * try. The other holds are seen in the database, without asking anybody.
 */
const PAUSE_SECONDS: Readonly<Partial<Record<HoldReason, { first: number; most: number }>>> = {
  credentials_refused: { first: MINUTE_SECONDS, most: 15 * MINUTE_SECONDS },
  server_unreachable: { first: 15, most: 2 * MINUTE_SECONDS },
}
/** How long the lane that tries again has before another one does. */
const TRY_SECONDS = MINUTE_SECONDS
const TRIES_MAX = 30

/** `isRetry`: this turn is the one that tries whether the hold is over. */
export type HoldEntry = { outcome: 'goes'; isRetry: boolean } | { outcome: 'waits'; leftMs: number }

/**
 * Asked before a turn hands anything over: a stream that is held waits for its pause to end, and then one lane tries.
 * `settings` are those it would go through (`updatedAt` of the integration): others than were tried are tried at once.
 */
export async function enterHold(tx: Transaction, stream: Stream, settings: string): Promise<HoldEntry> {
  const { rows } = await tx.query<{ leftMs: number }>({
    name: 'enter_send_hold',
    // The lock is waited for by lanes that come at the same moment: the second sees that the first one tries.
    text: `with held as materialized (
        select held_settings is distinct from $3::timestamptz as is_new,
          (extract(epoch from held_until - clock_timestamp()) * 1000)::float8 as left_ms
        from send_streams where workspace_id = $1 and id = $2 and held_until is not null for update
      ), tried as (
        update send_streams s set held_until = clock_timestamp() + make_interval(secs => $4), held_settings = $3::timestamptz,
          hold_tries = case when is_new then 0 else hold_tries end
        from held where s.workspace_id = $1 and s.id = $2 and (is_new or left_ms <= 0)
      )
      select case when is_new then 0 else greatest(0, left_ms) end as "leftMs" from held`,
    values: [stream.workspaceId, stream.streamId, settings, TRY_SECONDS],
  })
  const [held] = rows
  if (held === undefined) return { outcome: 'goes', isRetry: false }
  return held.leftMs > 0 ? { outcome: 'waits', leftMs: held.leftMs } : { outcome: 'goes', isRetry: true }
}

export type Hold = {
  reason: HoldReason
  /** The try that showed it: with which settings, and whether a pause had ended before it. Those before count as one. */
  tried?: { settings: string; isRetry: boolean }
}

/** Says why a stream waits although it is open, and for how long nobody tries. */
export async function noteHold(tx: Transaction, stream: Stream, { reason, tried }: Hold): Promise<void> {
  const pause = PAUSE_SECONDS[reason]
  await tx.query({
    name: 'note_send_hold',
    text: `update send_streams set hold_reason = $3, hold_tries = tries, held_settings = $4::timestamptz,
        held_until = clock_timestamp() + make_interval(secs => least($6::float8, $5::float8 * power(2, tries - 1)))
      from (select case when hold_reason = $3 then least(hold_tries + 1, $8::int) else 1 end as tries
        from send_streams where workspace_id = $1 and id = $2) as known
      where workspace_id = $1 and id = $2 and (hold_reason is distinct from $3 or $7)`,
    values: [
      ...[
        stream.workspaceId,
        stream.streamId,
        reason,
        tried?.settings ?? null,
        pause?.first ?? null,
        pause?.most ?? null,
      ],
      ...[tried?.isRetry ?? false, TRIES_MAX],
    ],
  })
}

/** Takes the reason back if it is one of these: those that the caller has seen to be over. */
export async function endHold(tx: Transaction, stream: Stream, reasons: readonly HoldReason[]): Promise<void> {
  await tx.query({
    name: 'end_send_hold',
    text: `update send_streams set hold_reason = null, held_until = null, hold_tries = 0, held_settings = null
      where workspace_id = $1 and id = $2 and hold_reason = any ($3::text[])`,
    values: [stream.workspaceId, stream.streamId, textArray(reasons)],
  })
}
