import { createLimitedThread, type LimitedThread } from '../../../platform/limited-thread.ts'
import type { SimulationPlan } from './simulation-plan.ts'
import type { Tallied } from './tally.ts'
import type { PeoplePage } from './walk-people.ts'

/** People of a page take some tenths of a second; whoever has thousands of events takes longer. */
const LIMITS = { cpuMs: 60_000, wallMs: 300_000, heapMb: 512, idleMs: 30_000, waitingMax: 20 }

export type WalkJob = { plan: SimulationPlan; page: PeoplePage }
export type Walked = { outcome: 'walked'; tallied: Tallied } | { outcome: 'broken'; error: string }
export type Simulator = LimitedThread<WalkJob, Walked>

/** Walks people in a thread of its own: what takes long there holds up nobody. */
export function createSimulator(): Simulator {
  return createLimitedThread(new URL('./simulate-thread.ts', import.meta.url), LIMITS)
}
