import type { Job } from './outcome.ts'

export type PlaceRules = {
  /** Jobs run at once by this process. */
  concurrency: number
  /** Places kept free for jobs of at least this priority. */
  reserved?: { places: number; priorityMin: number }
  /** Part of the places, in (0, 1], that the jobs of one group may take; all when absent. Rounded up. */
  groupShare?: number
}

export type Places = {
  free: number
  /** Those of them that a job of any priority may take. */
  unreserved: number
  /** Jobs that run now, by group. */
  groups: Map<string, number>
}

/** The places that are left beside `running`. */
export function placesBeside(running: Iterable<Pick<Job, 'priority' | 'groupKey'>>, rules: PlaceRules): Places {
  let taken = 0
  let unimportant = 0
  const groups = new Map<string, number>()
  for (const { priority, groupKey } of running) {
    taken++
    if (rules.reserved !== undefined && priority < rules.reserved.priorityMin) unimportant++
    if (groupKey !== null) groups.set(groupKey, (groups.get(groupKey) ?? 0) + 1)
  }
  const free = rules.concurrency - taken
  const open = rules.concurrency - (rules.reserved?.places ?? 0) - unimportant
  return { free, unreserved: Math.max(0, Math.min(free, open)), groups }
}

export function groupMaxOf({ concurrency, groupShare = 1 }: PlaceRules): number {
  return Math.ceil(groupShare * concurrency)
}

/** Whether a job may be due that only a certain place is missing for, though others are free. */
export function hasSpecialPlaces(rules: PlaceRules): boolean {
  return rules.reserved !== undefined || groupMaxOf(rules) < rules.concurrency
}
