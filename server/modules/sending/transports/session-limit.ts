import { MINUTE_MS } from '../../../platform/durations.ts'

/** After so many messages a session ends: servers spread load by connection, and many set a limit like this. */
export const SESSION_MESSAGES_MAX = 100
/** How long a limit that was learned holds; then the next session finds out again, at the price of a connection. */
const LEARNED_MS = 10 * MINUTE_MS

/** How many messages a server takes in one session, as far as it has shown. Times are `performance.now()`. */
export class SessionLimit {
  #learned = { messages: SESSION_MESSAGES_MAX, until: 0 }
  /** After how many messages the last session ended without a reason. */
  #lastEnd = 0

  at(now: number): number {
    return now < this.#learned.until ? this.#learned.messages : SESSION_MESSAGES_MAX
  }

  /**
   * The server ended a session after so many messages. Without its word that it is for their number that may be anything,
   * a restart for one: it counts when the next session ends at the same number.
   */
  endedAfter(messages: number, isSaid: boolean, now: number): void {
    const isLearned = messages > 0 && (isSaid || messages === this.#lastEnd)
    this.#lastEnd = messages
    if (isLearned) this.#learned = { messages: Math.min(messages, this.at(now)), until: now + LEARNED_MS }
  }
}
