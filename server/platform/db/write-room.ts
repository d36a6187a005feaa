import type pg from 'pg'
import { errorCode } from './errors.ts'

/** Codes of a server that has no room for what is written, or whose disk does not take it. */
const NO_ROOM = /^(53100|58030)$/

/** Pools whose server had no room for a write, and is not known to have any since. */
const short = new WeakSet<pg.Pool>()

/** Remembers that a write through a pool failed, where it was for want of room. */
export function noteWriteFault(pool: pg.Pool, error: unknown): void {
  if (isShort(error)) short.add(pool)
}

/** Takes new pages, as what is written does: a change of a row in its page may go well on a full disk. */
const WRITE = `create temp table postroom_room on commit drop as
  select md5(n::text) as filler from generate_series(1, 4000) n`

/**
 * Throws while the server has no room for writes, when one through these pools has met that: then another is tried, of a
 * quarter of a megabyte that is gone at once. Costs nothing where none has.
 */
export async function requireRoom(client: pg.ClientBase, pools: readonly pg.Pool[]): Promise<void> {
  const met = pools.filter((pool) => short.has(pool))
  if (met.length === 0) return
  await client.query(WRITE).catch((error: unknown) => {
    // A role that makes no tables of its own finds out by writing again.
    if (isShort(error)) throw error
  })
  for (const pool of met) short.delete(pool)
}

/** Whether a write failed for want of room, by the error itself or its cause. */
export function isShort(error: unknown): boolean {
  if (NO_ROOM.test(errorCode(error) ?? '')) return true
  return error instanceof Error && error.cause !== undefined && isShort(error.cause)
}
