export type Measured = {
  /** Units a second over the whole window. */
  perSecond: number
  units: number
  elapsedMs: number
  /** Time each call of `work` took. */
  callMs: Percentiles
}

export type Percentiles = { p50: number; p90: number; p99: number; max: number }

export type MeasureOptions = {
  /** Calls of `work` that are under way at any moment. */
  concurrency: number
  durationMs: number
  /** Runs before the window and is not counted. */
  warmUpMs?: number
}

/**
 * Runs `work` over and over for a time; it answers how many units it has done (one request may carry a hundred events).
 * Calls begun inside the window are waited for and counted together with the time that took. The first error ends it.
 */
export async function measure(work: () => Promise<number>, options: MeasureOptions): Promise<Measured> {
  if (options.warmUpMs) await runFor(work, options.concurrency, options.warmUpMs)
  return runFor(work, options.concurrency, options.durationMs)
}

async function runFor(work: () => Promise<number>, concurrency: number, durationMs: number): Promise<Measured> {
  const callsMs: number[] = []
  const startedMs = performance.now()
  let units = 0
  const lane = async () => {
    for (let calledMs = startedMs; calledMs - startedMs < durationMs; ) {
      // Read after the wait: `units += await …` would forget what other lanes added meanwhile.
      const done = await work()
      units += done
      const nowMs = performance.now()
      callsMs.push(nowMs - calledMs)
      calledMs = nowMs
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  const elapsedMs = performance.now() - startedMs
  return { perSecond: (units * 1_000) / elapsedMs, units, elapsedMs, callMs: percentilesOf(callsMs) }
}

export function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}

export type Rate = { perSecond: number; unit: string }

/** `intake: 93,100 events/s, 0.71 of COPY (131,000 rows/s)`, with the goal behind it when there is one. */
export function ratioLine(name: string, measured: Rate, base: Rate & { name: string; goal?: number }): string {
  const ratio = measured.perSecond / base.perSecond
  const goal = base.goal === undefined ? '' : `, goal ${base.goal.toFixed(2)} ${ratio >= base.goal ? 'met' : 'NOT met'}`
  return `${name}: ${rateText(measured)}, ${ratio.toFixed(2)} of ${base.name} (${rateText(base)})${goal}`
}

/** `23 ms, goal <= 30 ms met`: for what should stay below its goal. */
export function limitText(measured: number, goal: number, unit: string): string {
  // One digit more than a rate has, so that a narrow miss does not look like the goal.
  const shown = Number(measured.toPrecision(4)).toLocaleString('en-US')
  return `${shown} ${unit}, goal <= ${goal.toLocaleString('en-US')} ${unit} ${measured <= goal ? 'met' : 'NOT met'}`
}

/** `p50 1.2 ms, p90 3.4 ms, p99 12 ms, max 48 ms`. */
export function percentilesText({ p50, p90, p99, max }: Percentiles): string {
  return `p50 ${msText(p50)}, p90 ${msText(p90)}, p99 ${msText(p99)}, max ${msText(max)}`
}

/** Three significant digits: the rest is noise. */
export function rateText({ perSecond, unit }: Rate): string {
  return `${Number(perSecond.toPrecision(3)).toLocaleString('en-US')} ${unit}/s`
}

function msText(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
