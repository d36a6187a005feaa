import { createLimitedThread, type LimitedThread } from '../../platform/limited-thread.ts'
import type { Planned, TemplateSource } from './plan-template.ts'

const LIMITS = {
  cpuMs: 500,
  wallMs: 15_000,
  // MJML itself takes some 50 MB; the rest is for the largest template.
  heapMb: 112,
  // Starting takes a second, more than a request may wait on a busy machine; keeping it some 80 MB.
  idleMs: 300_000,
  waitingMax: 200,
}

/** `broken` is a fault of ours. */
export type CompileResult = Planned | { outcome: 'broken'; error: string }
export type CompileWorker = LimitedThread<TemplateSource, CompileResult>

/** Compiles templates, one after the other. */
export function createCompileWorker(given: Partial<typeof LIMITS> = {}): CompileWorker {
  return createLimitedThread(new URL('./compile-thread.ts', import.meta.url), { ...LIMITS, ...given })
}
