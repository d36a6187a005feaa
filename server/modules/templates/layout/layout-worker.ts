import { createLimitedThread, type LimitedThread, type Stopped } from '../../../platform/limited-thread.ts'
import type { LayoutJob, LayoutResult } from './layout-job.ts'

const LIMITS = {
  cpuMs: 400,
  wallMs: 15_000,
  // MJML itself takes some 50 MB; the rest is for the largest template.
  heapMb: 112,
  // Starting takes a second, more than a request may wait on a busy machine; keeping it some 80 MB.
  idleMs: 300_000,
  waitingMax: 200,
}

export type LayoutOutcome = LayoutResult | Stopped
export type LayoutWorker = LimitedThread<LayoutJob, LayoutResult>

/** Lays templates out, one after the other. */
export function createLayoutWorker(given: Partial<typeof LIMITS> = {}): LayoutWorker {
  return createLimitedThread(new URL('./layout-thread.ts', import.meta.url), { ...LIMITS, ...given })
}
