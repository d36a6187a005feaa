/** The turns this process runs, so that a message made here reaches a running turn without waiting for its next look. */
export type RunningTurns = {
  /** Registers a turn; returns how to leave. */
  enter(lookAgain: () => void): () => void
  tell(): void
}

export function createRunningTurns(): RunningTurns {
  const turns = new Set<() => void>()
  return {
    enter(lookAgain) {
      const told = () => lookAgain()
      turns.add(told)
      return () => turns.delete(told)
    },
    tell() {
      for (const told of turns) told()
    },
  }
}
