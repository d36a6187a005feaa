import assert from 'node:assert/strict'

/**
 * Asks until an answer is the one that is promised within a time, and holds each question that still had another to it: by when
 * it was asked, so that an answer that is late on a busy machine breaks no promise.
 */
export async function comesWithin(promisedMs: number, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const fromMs = performance.now()
  for (let askedMs = fromMs; !(await isSo()); askedMs = performance.now()) {
    assert.ok(askedMs - fromMs <= promisedMs, `asked after ${Math.round(askedMs - fromMs)} ms: not yet ${what}`)
  }
}
