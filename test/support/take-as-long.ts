import assert from 'node:assert/strict'

/** Of the middle times, either way. */
const RATIO_MAX = 1.6
/** A difference that is there is seen each time; one that is the machine's is not. */
export const ROUNDS_MAX = 3

/**
 * Holds two acts to the same time, so that it does not tell which of them it was. They take turns, and what they resolve with is
 * done outside of the time. `n` goes on through all rounds.
 */
export async function takeAsLong(pairs: number, first: Act, second: Act): Promise<void> {
  let ratio = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const times: [number[], number[]] = [[], []]
    for (let n = round * pairs; n < (round + 1) * pairs; n++) {
      times[0].push(await timeOf(first, n))
      times[1].push(await timeOf(second, n))
    }
    ratio = middle(times[0]) / middle(times[1])
    if (ratio < RATIO_MAX && ratio > 1 / RATIO_MAX) return
  }
  assert.fail(`the first takes ${ratio.toFixed(2)} times as long as the second`)
}

type Act = (n: number) => Promise<unknown>

async function timeOf(act: Act, n: number): Promise<number> {
  const startedMs = performance.now()
  const after = await act(n)
  const ms = performance.now() - startedMs
  if (typeof after === 'function') await after()
  return ms
}

function middle(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
}
