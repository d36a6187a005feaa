import type { LaneKey, Lanes } from './lane-tables.ts'

/** The turns that this process runs, so that work made here reaches them without waiting for their next look. */
const turns = new Map<string, Set<() => void>>()

type AnyLanes = Pick<Lanes<LaneKey, unknown, unknown>, 'lanes' | 'key'> & { fields: readonly string[] }

function nameOf({ lanes, fields }: AnyLanes, lane: LaneKey): string {
  return [lanes, ...fields.map((field) => String((lane as Record<string, unknown>)[field]))].join('/')
}

/** Registers a turn; returns how to leave. */
export function enterRunning(lanes: AnyLanes, lane: LaneKey, lookAgain: () => void): () => void {
  const name = nameOf(lanes, lane)
  const told = turns.get(name) ?? new Set()
  turns.set(name, told.add(lookAgain))
  return () => {
    told.delete(lookAgain)
    if (told.size === 0 && turns.get(name) === told) turns.delete(name)
  }
}

/** Has turns of these lanes look for work. Cheap, and harmless when there is none. */
export function tellRunning(lanes: AnyLanes, told: readonly LaneKey[]): void {
  if (turns.size === 0) return
  for (const lane of told) for (const lookAgain of turns.get(nameOf(lanes, lane)) ?? []) lookAgain()
}
