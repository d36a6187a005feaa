import { useEffect, useRef, useState } from 'react'
import { numberText } from '../../lib/format.ts'
import type { BroadcastReport } from '../../lib/site-types.ts'

/** The pace is that of the last minute, and the time left a range around it. */
const WINDOW_MS = 60_000
const SAMPLE_MS_MIN = 3_000
const SPREAD = 0.25

type Sample = { atMs: number; settled: number }

/** How fast it goes, and how long it will take: of the last sixty seconds, not of the average since its start. */
export function SendingPace({ report }: { report: BroadcastReport }) {
  const samples = useRef<Sample[]>([])
  const [pace, setPace] = useState<number>()
  const settled = report.recipientsTotal - report.pendingCount
  useEffect(() => {
    const atMs = performance.now()
    samples.current = [...samples.current.filter((one) => atMs - one.atMs <= WINDOW_MS), { atMs, settled }]
    setPace(paceOf(samples.current))
  }, [settled])
  if (report.holdReason !== null || pace === undefined || pace <= 0) return null
  return (
    <p className="soft numbers">
      {numberText(Math.round(pace * 10) / 10)} a second in the last minute, {leftText(report.pendingCount / pace)} to
      go.
    </p>
  )
}

/** Settled a second; undefined until there is enough to tell. */
export function paceOf(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.atMs - first.atMs < SAMPLE_MS_MIN) return undefined
  return ((last.settled - first.settled) * 1_000) / (last.atMs - first.atMs)
}

/** `2 to 4 minutes`. */
export function leftText(seconds: number): string {
  const [unit, length] = seconds < 90 ? ['second', 1] : seconds < 5_400 ? ['minute', 60] : ['hour', 3_600]
  const low = Math.max(1, Math.floor((seconds * (1 - SPREAD)) / (length as number)))
  const high = Math.max(1, Math.ceil((seconds * (1 + SPREAD)) / (length as number)))
  return low === high ? `about ${high} ${unit}${high === 1 ? '' : 's'}` : `${low} to ${high} ${unit}s`
}
