/*
 * Limits in milliseconds of a processor, on any processor: what is over a limit is looked at again, and held against
 * work whose cost is known, done at the same place and time. A machine of half the speed, or one that others use too, has
 * twice the time; work that grows with the square of its input is over the limit on each of them.
 */

/** Of the reference work, on the machine whose limits these are. */
const REFERENCE_MS = 8
const REFERENCE_TRIES = 3
const TRIES_MAX = 5

/** Milliseconds that this thread has used of a processor for some work; others' work on the machine is not counted. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/**
 * The milliseconds of the first try that is within the limit, else of the last, as they would be on the machine whose limits
 * these are. `measure` does the work anew and says how long it took.
 */
export async function leastMs(
  limitMs: number,
  measure: () => number | Promise<number>,
  { triesMax = TRIES_MAX } = {},
): Promise<number> {
  for (let tries = 1; ; tries++) {
    const ms = await measure()
    if (ms <= limitMs) return ms
    const fair = ms / slowness()
    if (fair <= limitMs || tries === triesMax) return fair
  }
}

/** How many times slower this thread is now than on the machine whose limits these are; never less than 1. */
function slowness(): number {
  const tries = Array.from({ length: REFERENCE_TRIES }, () => processorMs(referenceWork)).sort((a, b) => a - b)
  return Math.max(1, tries[Math.floor(REFERENCE_TRIES / 2)]! / REFERENCE_MS)
}

/** Text, patterns, maps and numbers, as in the work that limits are for. */
function referenceWork(): number {
  const words = new Map<string, number>()
  let text = ''
  for (let n = 0; n < 20_000; n++) text += `word${(n * 7_919) % 1_009} <a href="/${n}">&amp;</a> `
  for (const [word] of text.matchAll(/[a-z]+\d+/g)) words.set(word, (words.get(word) ?? 0) + 1)
  return words.size + text.replaceAll('&amp;', '&').split(' ').length
}
