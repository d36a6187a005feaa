import type pg from 'pg'
import { Bell } from '../bell.ts'
import { errorCode } from '../db/errors.ts'
import { SQLSTATE } from '../db/sqlstates.ts'
import { type Settlement, settle } from './settle.ts'
import { FailureStreak, type OnTrouble } from './trouble.ts'

export type ResultWriter = {
  write(result: Settlement): void
  /** Until everything is written, or given up after `withinMs` because the database is away. */
  close(withinMs: number): Promise<void>
}

type WriterDeps = { pool: pg.Pool; queue: string; onTrouble: OnTrouble }

/** Writes what became of jobs, all results that gathered during one write together in the next. */
export function startResultWriter(deps: WriterDeps, onWritten: (results: readonly Settlement[]) => void): ResultWriter {
  const { pool, queue, onTrouble } = deps
  const streak = new FailureStreak({ loop: 'settle', queue }, onTrouble)
  const bell = new Bell()
  const results: Settlement[] = []
  let isWriting = false
  let lastWrite = Promise.resolve()
  let giveUpMs = Number.POSITIVE_INFINITY

  async function writeAll(): Promise<void> {
    // Runs that end in the same turn are written together.
    await Promise.resolve()
    let batchMax = Number.POSITIVE_INFINITY
    while (results.length > 0) {
      const batch = results.slice(0, batchMax)
      const failure = await failureOf(settle(pool, queue, batch))
      if (failure === undefined) {
        streak.worked()
      } else if (performance.now() >= giveUpMs) {
        break
      } else if (errorCode(failure) === SQLSTATE.uniqueViolation) {
        // A follower with the same singleton key was enqueued meanwhile: now it is seen.
        continue
      } else {
        await bell.wait(streak.failed(failure).retryMs)
        if (!isRefused(failure)) continue
        // A result that cannot be written must not hold up the others: sought one by one, it is given up, and its job
        // runs again when its heartbeat has run out.
        const isFound = batch.length === 1
        batchMax = isFound ? Number.POSITIVE_INFINITY : 1
        if (!isFound) continue
      }
      results.splice(0, batch.length)
      onWritten(batch)
    }
    isWriting = false
  }

  return {
    write(result) {
      results.push(result)
      if (isWriting) return
      isWriting = true
      lastWrite = writeAll()
    },
    async close(withinMs) {
      giveUpMs = performance.now() + withinMs
      bell.ring()
      await lastWrite
    },
  }
}

/** Whether the database says that what was sent is wrong: data, constraint or statement. */
function isRefused(error: unknown): boolean {
  return /^(22|23|42)/.test(errorCode(error) ?? '')
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
    return undefined
  } catch (error) {
    return error ?? new Error('failed without an error')
  }
}
