/** Time as a part of the program sees it, handed in where waiting is part of what it does. */
export type Clock = {
  /** Of a clock that is never set back. */
  nowMs(): number
  /** Calls back once, after so long. Hands back what cancels it. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
