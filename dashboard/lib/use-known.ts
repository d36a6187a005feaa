import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { WAITED_MAX_MS } from './waited-max.ts'

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
