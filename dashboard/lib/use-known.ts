import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** After so long a part is shown without what stands above it: it is better moved once than not seen. */
const WAITED_MAX_MS = 2_000

type Read = Pick<UseQueryResult, 'data' | 'isFetched' | 'fetchStatus'>

/** Whether reads have come, or failed, or are not made at all. */
export function areKnown(...reads: readonly Read[]): boolean {
  return reads.every(({ data, isFetched, fetchStatus }) => data !== undefined || isFetched || fetchStatus === 'idle')
}

/**
 * True from when that is known which stands above a part of a page or beside it, for as long as the part is shown: what came
 * later than the part would move it under somebody's hand.
 */
export function useOnceKnown(isKnown: boolean): boolean {
  const [isOver, setOver] = useState(isKnown)
  if (isKnown && !isOver) setOver(true)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), WAITED_MAX_MS)
    return () => clearTimeout(timer)
  }, [])
  return isOver
}
