import { useEffect, useReducer } from 'react'
import { dateTimeText, timeText, utcText } from '../lib/format.ts'
import { Tooltip } from './tooltip.tsx'

const AGAIN_MS = 30_000

/** A time in the reader's zone, relative within a day; in full, with UTC, on hover and focus. */
export function RelativeTime({ at, absolute = false }: { at: string; absolute?: boolean }) {
  // The clock is read each time: what has just come would lie ahead of one that was read before.
  const [, again] = useReducer((times: number) => times + 1, 0)
  useEffect(() => {
    const timer = setInterval(again, AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Tooltip label={`${dateTimeText(at)} · ${utcText(at)}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the full time is for keyboards too */}
      <time dateTime={at} tabIndex={0} className="time">
        {absolute ? dateTimeText(at) : timeText(at)}
      </time>
    </Tooltip>
  )
}
