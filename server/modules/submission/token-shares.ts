import type { TokenFacts } from '../auth/token-cache.ts'

/** Sees to it that no token takes all the connections of a listener that every workspace uses. */
export class TokenShares {
  readonly #open = new Map<string, Set<string>>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** False when the token has its share already. */
  admit(facts: TokenFacts, sessionId: string): boolean {
    const key = shareKey(facts)
    const open = this.#open.get(key) ?? new Set()
    if (open.size >= this.#max && !open.has(sessionId)) return false
    this.#open.set(key, open.add(sessionId))
    return true
  }

  /** One that was not admitted leaves nothing. */
  leave(facts: TokenFacts, sessionId: string): void {
    const key = shareKey(facts)
    const open = this.#open.get(key)
    if (open?.delete(sessionId) && open.size === 0) this.#open.delete(key)
  }
}

/** A token, whichever of its connections it is. */
export function shareKey({ workspaceId, actor }: TokenFacts): string {
  return `${workspaceId}/${actor.id}`
}
