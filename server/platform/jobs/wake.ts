import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { Bell } from '../bell.ts'
import { textArray } from '../db/arrays.ts'
import { DatabaseClient } from '../db/database-hosts.ts'
import { FailureStreak, type OnTrouble } from './trouble.ts'

/**
 * Tells workers that jobs were committed: those of this process at once, those of others by NOTIFY. A commit that
 * notifies takes a lock of the whole cluster, so the signal is a statement of its own after the commit, at most one per
 * queue and interval, with all subjects of those meanwhile. A lost signal costs a worker's polling interval.
 *
 * A process has one, which hears the commits of its pools (`listenToCommits`): operations do not know of it.
 */
export type Waker = {
  /** Cheap; never throws; many calls make one look. `signal` is a queue, or something else that others wait for (`signalOf`). */
  wake(signal: string): void
  /** Runs `listener` for every wake of this process, and while `listen` is on, of others. Gives the way to end that. */
  onWake(listener: (queue: string) => void): () => void
  /** Holds one connection of its own that hears other processes. */
  listen(onTrouble: OnTrouble): { close(): Promise<void> }
}

const CHANNEL = 'postroom_jobs'
const NOTIFY_INTERVAL_MS = 20
/** A connection that died without a word is noticed within the sum of these. */
const LISTEN_CHECK_MS = 8_000
const LISTEN_TIMEOUT_MS = 4_000

/** For every queue at once, after a time in which signals may have been missed. */
const EVERY_QUEUE = '*'

export function createWaker(pool: pg.Pool): Waker {
  const sender = randomUUID()
  const listeners = new Set<(queue: string) => void>()
  /** Names that were told of in this interval, with the signals to tell next. */
  const waiting = new Map<string, Set<string>>()

  const hear = (queue: string) => {
    for (const listener of listeners) listener(queue)
  }

  const notify = (name: string, signals: Iterable<string>) => {
    waiting.set(name, new Set())
    pool
      .query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
        CHANNEL,
        textArray(Array.from(signals, (signal) => `${sender} ${signal}`)),
      ])
      // A worker that missed it polls, and a database that is away is reported by the loops.
      .catch(() => undefined)
    setTimeout(() => {
      const again = waiting.get(name)!
      waiting.delete(name)
      if (again.size > 0) notify(name, again)
    }, NOTIFY_INTERVAL_MS).unref()
  }

  return {
    wake(signal) {
      hear(signal)
      const name = nameOf(signal)
      const next = waiting.get(name)
      if (next) next.add(signal)
      else notify(name, [signal])
    },
    onWake(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    listen(onTrouble) {
      return listen(pool, { sender, hear, onTrouble })
    },
  }
}

type ListenDeps = { sender: string; hear: (queue: string) => void; onTrouble: OnTrouble }

function listen(pool: pg.Pool, { sender, hear, onTrouble }: ListenDeps): { close(): Promise<void> } {
  const closed = new Bell()
  let connection = new Bell()
  const streak = new FailureStreak({ loop: 'listen' }, onTrouble)
  let closing = false

  const listenOnce = async () => {
    const client = new DatabaseClient({ ...connectionOf(pool), query_timeout: LISTEN_TIMEOUT_MS })
    const bell = new Bell()
    connection = bell
    let lost: Error | undefined
    client.on('error', (error) => {
      lost ??= error
      bell.ring()
    })
    client.on('end', () => {
      lost ??= new Error('the listening connection was closed')
      bell.ring()
    })
    client.on('notification', ({ payload = '' }) => {
      const [from, queue] = payload.split(' ', 2)
      if (queue !== undefined && from !== sender) hear(queue)
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      streak.worked()
      hear(EVERY_QUEUE)
      while (!closing) {
        await bell.wait(LISTEN_CHECK_MS)
        if (lost) throw lost
        if (!closing) await client.query('select 1')
      }
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  const loop = (async () => {
    while (!closing) {
      try {
        await listenOnce()
      } catch (error) {
        if (!closing) await closed.wait(streak.failed(error).retryMs)
      }
    }
  })()

  return {
    async close() {
      closing = true
      closed.ring()
      connection.ring()
      await loop
    },
  }
}

/** A signal that tells of one thing among those that a name stands for. */
export function signalOf(name: string, subject: string): string {
  return `${name}/${subject}`
}

function nameOf(signal: string): string {
  const end = signal.indexOf('/')
  return end < 0 ? signal : signal.slice(0, end)
}

/** The one thing that a signal tells of; undefined where it may be any. */
export function subjectOf(signal: string): string | undefined {
  return signal.split('/', 2)[1]
}

/** Asked by every listener of every commit: it makes nothing. */
export function isWakeOf(name: string, signal: string): boolean {
  return signal === name || signal === EVERY_QUEUE || (signal[name.length] === '/' && signal.startsWith(name))
}

/** The pool's connection settings; pg keeps the password where copying does not reach it. */
function connectionOf(pool: pg.Pool): pg.ClientConfig {
  const { options } = pool
  return { ...options, ...(options.password === undefined ? {} : { password: options.password }), pipeline: false }
}
