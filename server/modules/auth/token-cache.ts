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
  /** Whether it is one of an agent that a person connected, which is good for the endpoint of agents and nothing else. */
  ofAgent: boolean
}

/** A way in; each takes tokens that are meant for it. */
export type TokenDoor = 'api' | 'agents'

export type TokenCache = {
  /** The token's facts or undefined, at once when a fresh answer is known, else after asking. Rejects when nobody can be asked. */
  lookUp(token: string, door?: TokenDoor): TokenFacts | undefined | Promise<TokenFacts | undefined>
  /** Has a token, by its id, be asked about anew: it was revoked. Without an id each: some may have been. */
  forget(id?: string): void
}

/** Remembers what `find` answered for tokens, by their hash, as `createFreshAnswers` does. */
export function createTokenCache(find: (hash: Buffer) => Promise<TokenFacts | undefined>): TokenCache {
  const answers = createFreshAnswers(
    (hash) => find(Buffer.from(hash, 'hex')),
    ({ actor }) => actor.id,
  )
  return {
    lookUp(token, door = 'api') {
      const facts = answers.lookUp(tokenHash(token), () => isPlausibleToken(token))
      const admitted = (found: TokenFacts | undefined) => (found && isGood(found, door) ? found : undefined)
      return facts instanceof Promise ? facts.then(admitted) : admitted(facts)
    },
    forget: answers.forget,
  }
}

function isGood({ expiresAtMs, ofAgent }: TokenFacts, door: TokenDoor): boolean {
  return expiresAtMs > Date.now() && (!ofAgent || door === 'agents')
}
