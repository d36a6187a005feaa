import type { TokenUse } from './queries.ts'

const WRITE_EVERY_MS = 1_000
const NOTED_FOR_MS = 60_000
const NOTED_MAX = 20_000

export type TokenUses = {
  note(token: { workspaceId: string; id: string }): void
  /** Writes what is still to be written. */
  stop(): Promise<void>
}

/** Notes when tokens are used and writes it down beside the requests, many tokens at once and each once a minute. */
export function createTokenUses(write: (uses: TokenUse[]) => Promise<void>): TokenUses {
  const noted = new Map<string, number>()
  const waiting = new Map<string, TokenUse>()
  let flushing = Promise.resolve()

  async function flushAll(): Promise<void> {
    if (waiting.size === 0) return
    // In one order everywhere, so that two processes never wait for each other's rows.
    const uses = [...waiting.values()].sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
    waiting.clear()
    try {
      await write(uses)
    } catch {
      // Written the next time, unless the token is used again by then: a time of last use is worth no error.
      for (const use of uses) if (!waiting.has(use.id) && waiting.size < NOTED_MAX) waiting.set(use.id, use)
    }
  }

  const flush = () => {
    flushing = flushing.then(flushAll)
    return flushing
  }
  const timer = setInterval(flush, WRITE_EVERY_MS)
  timer.unref()
  return {
    note({ workspaceId, id }) {
      const now = Date.now()
      if ((noted.get(id) ?? 0) + NOTED_FOR_MS > now) return
      if (noted.size >= NOTED_MAX) noted.clear()
      noted.set(id, now)
      waiting.set(id, { workspaceId, id, at: new Date(now).toISOString() })
    },
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
