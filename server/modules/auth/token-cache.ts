import type { Scope } from '../../catalogue/scopes.ts'
import type { Actor } from '../audit/record-audit.ts'
import { isPlausibleToken, tokenHash } from './token-format.ts'

/** Facts that a valid token stands for. */
export type TokenFacts = {
  workspaceId: string
  actor: Actor & { id: string }
  scopes: ReadonlySet<Scope>
  /** Milliseconds since 1970; infinite for a token that does not expire. */
  expiresAtMs: number
}

/** An answer of the database may be this old: a revocation takes effect within a second on every process. */
const FRESH_MS = 900
/** From this age on an answer is asked for again in the background, so that no request of a busy token waits for it. */
const RENEW_AFTER_MS = 450
const VALID_MAX = 10_000
/** Kept apart, so that a stream of made-up tokens pushes no valid one out. */
const INVALID_MAX = 1_000

export type TokenCache = {
  /** The token's facts or undefined, at once when a fresh answer is known, else after asking. Rejects when nobody can be asked. */
  lookUp(token: string): TokenFacts | undefined | Promise<TokenFacts | undefined>
}

type Entry = { askedAt: number; facts: TokenFacts | undefined; renewing: boolean }
type Question = { askedAt: number; answer: Promise<TokenFacts | undefined> }

/**
 * Remembers what `find` answered for tokens, by their hash, for less than a second. Simultaneous look-ups of one token
 * share a question. A text that cannot be a token is never asked about.
 */
export function createTokenCache(find: (hash: Buffer) => Promise<TokenFacts | undefined>): TokenCache {
  const valid = new Map<string, Entry>()
  const invalid = new Map<string, Entry>()
  const questions = new Map<string, Question>()

  function ask(hash: string): Promise<TokenFacts | undefined> {
    const askedAt = performance.now()
    const pending = questions.get(hash)
    // Joining an old question would take an answer from before it for one from now.
    if (pending && askedAt - pending.askedAt < FRESH_MS) return pending.answer
    const answer = find(Buffer.from(hash, 'hex')).then((facts) => {
      remember(hash, { askedAt, facts, renewing: false })
      return facts
    })
    const question = { askedAt, answer }
    questions.set(hash, question)
    const over = () => {
      if (questions.get(hash) === question) questions.delete(hash)
    }
    answer.then(over, over)
    return answer
  }

  function remember(hash: string, entry: Entry): void {
    valid.delete(hash)
    invalid.delete(hash)
    const [entries, max] = entry.facts ? [valid, VALID_MAX] : [invalid, INVALID_MAX]
    entries.set(hash, entry)
    if (entries.size > max) entries.delete(entries.keys().next().value as string)
  }

  return {
    lookUp(token) {
      const hash = tokenHash(token)
      const entry = valid.get(hash) ?? invalid.get(hash)
      if (entry !== undefined) {
        const age = performance.now() - entry.askedAt
        if (age < FRESH_MS) {
          if (age > RENEW_AFTER_MS && !entry.renewing) {
            entry.renewing = true
            // A failure shows at the first request after the answer has grown old.
            ask(hash).catch(() => undefined)
          }
          return unexpired(entry.facts)
        }
      } else if (!isPlausibleToken(token)) return undefined
      return ask(hash).then(unexpired)
    },
  }
}

function unexpired(facts: TokenFacts | undefined): TokenFacts | undefined {
  return facts !== undefined && facts.expiresAtMs > Date.now() ? facts : undefined
}
