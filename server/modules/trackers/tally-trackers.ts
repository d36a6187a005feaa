import type pg from 'pg'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import type { FoundTracker } from './find-tracker.ts'

/** How often a process tells what it has counted. */
const TELL_EVERY_MS = 5_000
/** Origins counted at once: anybody may claim any. */
const ORIGINS_MAX = 1_000
/** Refused origins of a tracker that are kept. */
const ORIGINS_KEPT = 50
const ORIGIN_CHARS_MAX = 300

type Which = Pick<FoundTracker, 'workspaceId' | 'id'>
type Count = Which & { name: string; count: number }

/**
 * Counts what comes of requests under the keys of trackers, for people to look at. A killed process loses some seconds, a database that is
 * away none: what could not be written is told the next time, twice where the answer to its commit was lost.
 */
export type TrackerTally = {
  note(tracker: Which, outcome: string, events: number): void
  noteRefusal(tracker: Which, origin: string): void
  /** Writes what was counted. */
  tell(): Promise<void>
  /** The same for the last time. */
  stop(): Promise<void>
}

export function createTrackerTally(
  sql: pg.Pool,
  { onError, everyMs = TELL_EVERY_MS }: { onError: (error: unknown) => void; everyMs?: number },
): TrackerTally {
  let outcomes = new Map<string, Count>()
  let refusals = new Map<string, Count>()
  let telling = Promise.resolve()

  function add(counts: Map<string, Count>, { workspaceId, id }: Which, name: string, count: number): void {
    const key = `${workspaceId} ${id} ${name}`
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { workspaceId, id, name, count })
    else known.count += count
  }

  function addRefusals(tracker: Which, origin: string, count: number): void {
    if (refusals.size < ORIGINS_MAX) add(refusals, tracker, origin, count)
  }

  async function tellAll(): Promise<void> {
    const told = { outcomes: [...outcomes.values()], refusals: [...refusals.values()] }
    outcomes = new Map()
    refusals = new Map()
    if (told.outcomes.length === 0 && told.refusals.length === 0) return
    try {
      await writeCounts(sql, told)
    } catch (error) {
      for (const { name, count, ...tracker } of told.outcomes) add(outcomes, tracker, name, count)
      for (const { name, count, ...tracker } of told.refusals) addRefusals(tracker, name, count)
      onError(error)
    }
  }

  const tell = () => {
    telling = telling.then(tellAll)
    return telling
  }
  const timer = setInterval(tell, everyMs)
  timer.unref()

  return {
    note(tracker, outcome, events) {
      if (events > 0) add(outcomes, tracker, outcome, events)
    },
    noteRefusal(tracker, origin) {
      addRefusals(tracker, origin.slice(0, ORIGIN_CHARS_MAX), 1)
    },
    tell,
    async stop() {
      clearInterval(timer)
      await tell()
    },
  }
}

/**
 * Trackers that were deleted since are passed over, and the others are held: none of them is deleted before its counts are written. Sorted, so
 * that processes do not wait for each other in a circle.
 */
async function writeCounts(
  sql: pg.Pool,
  { outcomes, refusals }: Record<'outcomes' | 'refusals', readonly Count[]>,
): Promise<void> {
  const columns = (counts: readonly Count[]) => [
    int8Array(counts.map(({ workspaceId }) => workspaceId)),
    int8Array(counts.map(({ id }) => id)),
    textArray(counts.map(({ name }) => name)),
    int8Array(counts.map(({ count }) => String(count))),
  ]
  const given = `unnest($1::int8[], $2::int8[], $3::text[], $4::int8[]) as g(workspace_id, tracker_id, name, count)
    join trackers t on t.workspace_id = g.workspace_id and t.id = g.tracker_id`
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    if (outcomes.length > 0) {
      await tx.query({
        name: 'add_tracker_days',
        text: `insert into tracker_days as d (workspace_id, tracker_id, day, outcome, events, last_at)
          select g.workspace_id, g.tracker_id, (now() at time zone 'UTC')::date, g.name, g.count, now() from ${given}
          order by 1, 2, 4 for key share of t
          on conflict (workspace_id, tracker_id, day, outcome) do update
            set events = d.events + excluded.events, last_at = excluded.last_at`,
        values: columns(outcomes),
      })
    }
    if (refusals.length === 0) return
    await tx.query({
      name: 'add_tracker_refusals',
      text: `insert into tracker_refusals as r (workspace_id, tracker_id, origin, requests, last_at)
        select g.workspace_id, g.tracker_id, g.name, g.count, now() from ${given}
        order by 1, 2, 3 for key share of t
        on conflict (workspace_id, tracker_id, origin) do update
          set requests = r.requests + excluded.requests, last_at = excluded.last_at`,
      values: columns(refusals),
    })
    await tx.query({
      name: 'keep_last_tracker_refusals',
      text: `delete from tracker_refusals r using (
          select workspace_id, tracker_id, origin, row_number() over (partition by workspace_id, tracker_id
            order by last_at desc, origin) as nth
          from tracker_refusals where (workspace_id, tracker_id) in (select * from unnest($1::int8[], $2::int8[]))) o
        where o.nth > $3 and (r.workspace_id, r.tracker_id, r.origin) = (o.workspace_id, o.tracker_id, o.origin)`,
      values: [...columns(refusals).slice(0, 2), ORIGINS_KEPT],
    })
  })
}
