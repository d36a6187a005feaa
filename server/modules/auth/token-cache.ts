import type { Scope } from '../../catalogue/scopes.ts'
import { createFreshAnswers } from '../../platform/fresh-answers.ts'
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

export type TokenCache = {
  /** The token's facts or undefined, at once when a fresh answer is known, else after asking. Rejects when nobody can be asked. */
  lookUp(token: string): TokenFacts | undefined | Promise<TokenFacts | undefined>
}

/** Remembers what `find` answered for tokens, by their hash, as `createFreshAnswers` does. */
export function createTokenCache(find: (hash: Buffer) => Promise<TokenFacts | undefined>): TokenCache {
  const answers = createFreshAnswers((hash) => find(Buffer.from(hash, 'hex')))
  return {
    lookUp(token) {
      const facts = answers.lookUp(tokenHash(token), () => isPlausibleToken(token))
      return facts instanceof Promise ? facts.then(unexpired) : unexpired(facts)
    },
  }
}

function unexpired(facts: TokenFacts | undefined): TokenFacts | undefined {
  return facts !== undefined && facts.expiresAtMs > Date.now() ? facts : undefined
}
