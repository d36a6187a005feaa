import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { int8Array } from './arrays.ts'
import { DatabaseClient } from './database-hosts.ts'

const LOOK_EVERY_MS = 1_000
const LOOK_WITHIN_MS = 1_500

type AbandonedSession = { cancel(): void; cutOff(): void }

/**
 * Sessions of a pool that wait for the server although nobody waits for them. A server that is gone without a word, its
 * machine or the way to it lost, would never answer, and they would keep their places: so the server that is there now is
 * asked which of them it has, and the others are cut off. The work of those is cancelled once more: a request to cancel may come
 * between two statements, where the server does not heed it.
 */
export class AbandonedSessions {
  readonly #connection: pg.ClientConfig
  readonly #sessions = new Set<AbandonedSession>()
  #looking = false
  #givenUp = false

  constructor(connection: pg.ClientConfig) {
    this.#connection = connection
  }

  add(session: AbandonedSession): void {
    this.#sessions.add(session)
    if (this.#givenUp) session.cutOff()
    else if (!this.#looking) void this.#look()
  }

  delete(session: AbandonedSession): void {
    this.#sessions.delete(session)
  }

  /** The pool ends: no session is waited for any more. */
  giveUp(): void {
    this.#givenUp = true
    for (const session of this.#sessions) session.cutOff()
  }

  async #look(): Promise<void> {
    this.#looking = true
    while (this.#sessions.size > 0 && !this.#givenUp) {
      await delay(LOOK_EVERY_MS, undefined, { ref: false })
      const asked = [...this.#sessions]
      // While nobody answers, no other connection could be opened in their place either.
      const known = await this.#known(asked.map(pidOf)).catch(() => undefined)
      if (!known) continue
      for (const session of asked) {
        if (!this.#sessions.has(session)) continue
        if (known.has(pidOf(session))) session.cancel()
        else session.cutOff()
      }
    }
    this.#looking = false
  }

  async #known(pids: readonly string[]): Promise<Set<string>> {
    const client = new DatabaseClient({
      ...this.#connection,
      connectionTimeoutMillis: LOOK_WITHIN_MS,
      query_timeout: LOOK_WITHIN_MS,
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const text = 'select pid::text from pg_stat_activity where pid = any ($1::int8[])'
      const { rows } = await client.query<{ pid: string }>(text, [int8Array(pids)])
      return new Set(rows.map(({ pid }) => pid))
    } finally {
      client.end().catch(() => undefined)
    }
  }
}

function pidOf(session: AbandonedSession): string {
  return String((session as unknown as { processID: number | null }).processID ?? 0)
}
