import type { Lane } from './lanes.ts'

/** The turns this process runs, so that a delivery made here reaches a running turn without waiting for its next look. */
export type RunningTurns = {
  /** Registers a turn; returns how to leave. */
  enter(lane: Lane, lookAgain: () => void): () => void
  tell(lanes: readonly Lane[]): void
}

export function createRunningTurns(): RunningTurns {
  const turns = new Map<string, () => void>()
  const keyOf = (lane: Lane) => `${lane.workspaceId}/${lane.endpointId}`
  return {
    enter(lane, lookAgain) {
      turns.set(keyOf(lane), lookAgain)
      return () => {
        if (turns.get(keyOf(lane)) === lookAgain) turns.delete(keyOf(lane))
      }
    },
    tell(lanes) {
      for (const lane of lanes) turns.get(keyOf(lane))?.()
    },
  }
}
