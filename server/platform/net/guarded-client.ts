import { canonicalAddress, type Networks } from './address-guard.ts'
import { createConnections } from './connections.ts'
import { type Ending, type Exchange, exchange } from './exchange.ts'
import { DENIED_HOST_MESSAGE, judgeAddresses } from './judge-url.ts'
import type { Resolve } from './resolver.ts'
import { parseTarget } from './url-guard.ts'

/** Covers an attempt from the look-up to the last byte of the answer's body. */
export const EXCHANGE_DEADLINE_MS = 15_000
/** Of it, what the look-up may take. */
export const LOOKUP_TIMEOUT_MS = 5_000
/** Attempts under way at once, and connections open at once; more attempts wait their turn. */
export const CONNECTIONS_MAX = 512

export type Outgoing = {
  /** POST when absent. */
  method?: 'GET' | 'POST'
  url: string
  /** Names in lower case. Host, framing and connection headers are the client's own and refused here. */
  headers: Record<string, string>
  body?: Uint8Array
  deadlineMs?: number
  /** For an answer that is read rather than logged: keeps its headers, and `ANSWER_BODY_BYTES_MAX` of its body. */
  wholeAnswer?: boolean
  /** Bytes of the body that are read, instead of `ANSWER_BODY_BYTES_MAX`. */
  answerBytesMax?: number
}

export type GuardedClient = {
  /** Sends one request, at most once. Every ending is a value; rejects only for malformed headers or after `close`. */
  send(request: Outgoing): Promise<Exchange>
  /** Lets the attempts under way end (each within its deadline), then closes all connections. */
  close(): Promise<void>
}

const OWN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * The one way out: every HTTP request of the product goes through a client made here.
 *
 * Each attempt parses the URL, resolves its name once, judges every address, and is connected to one of exactly those
 * addresses; a connection kept alive is used again only when its peer is among them. Redirects are answers like any
 * other, bodies are never inflated, nothing is retried. An attempt beyond `connectionsMax` waits before its deadline
 * begins, so it is the caller's concurrency that bounds the wait.
 */
export function createGuardedClient(deps: {
  allow: Networks
  resolve: Resolve
  connectionsMax?: number
  trustedCa?: string
}): GuardedClient {
  const { allow, resolve, connectionsMax = CONNECTIONS_MAX, trustedCa } = deps
  const connections = createConnections({ connectionsMax, ...(trustedCa === undefined ? {} : { trustedCa }) })
  const waiting: (() => void)[] = []
  let underWay = 0
  let closed = false
  let drained: (() => void) | undefined

  async function attempt(request: Outgoing): Promise<Exchange> {
    const startedAt = performance.now()
    const deadlineMs = request.deadlineMs ?? EXCHANGE_DEADLINE_MS
    const elapsedMs = (): number => Math.round(performance.now() - startedAt)

    const verdict = parseTarget(request.url, allow)
    if (verdict.outcome === 'refused') return { ...verdict, durationMs: elapsedMs() }
    const { target } = verdict
    let addresses: readonly string[]
    if (target.literal) {
      addresses = [canonicalAddress(target.hostname)]
    } else {
      const resolution = await resolve(target.hostname, Math.min(LOOKUP_TIMEOUT_MS, deadlineMs))
      if (resolution.outcome === 'unresolvable') {
        return { outcome: 'failed', reason: 'dns', detail: resolution.reason, durationMs: elapsedMs() }
      }
      const judged = judgeAddresses(resolution.addresses, allow)
      if (judged.outcome === 'refused') {
        return { outcome: 'refused', reason: judged.reason, message: DENIED_HOST_MESSAGE, durationMs: elapsedMs() }
      }
      addresses = resolution.addresses.map(canonicalAddress)
    }

    let ending: Ending
    do {
      const timeoutMs = Math.max(1, deadlineMs - (performance.now() - startedAt))
      const connection = connections.acquire(target, addresses)
      ending = await exchange(connections, connection, { ...request, path: target.path, timeoutMs })
      // Nothing was written on a connection that had gone stale; each further turn uses up one idle connection.
    } while (ending.outcome === 'unsent')
    return { ...ending, durationMs: elapsedMs() }
  }

  return {
    async send(request) {
      if (closed) throw new Error('the client is closed')
      for (const name in request.headers) {
        if (OWN_HEADERS.has(name.toLowerCase())) throw new Error(`header ${name} is the client's own`)
      }
      if (underWay >= connectionsMax) await new Promise<void>((admit) => waiting.push(admit))
      else underWay += 1
      try {
        return await attempt(request)
      } finally {
        // The place passes straight to the next in line, if there is one.
        const next = waiting.shift()
        if (next !== undefined) next()
        else {
          underWay -= 1
          if (underWay === 0) drained?.()
        }
      }
    },
    async close() {
      closed = true
      if (underWay > 0) await new Promise<void>((resolve) => (drained = resolve))
      connections.discardIdle()
    },
  }
}
