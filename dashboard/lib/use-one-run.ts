import { useRef, useState } from 'react'

/**
 * An act with the way to where it leads: until both are over, whatever is pressed again is the same press, and does nothing. A request
 * that was answered would be made anew.
 */
export function useOneRun<Given extends unknown[]>(run: (...given: Given) => unknown) {
  const running = useRef(false)
  const [isRunning, setRunning] = useState(false)
  const once = async (...given: Given): Promise<void> => {
    if (running.current) return
    running.current = true
    setRunning(true)
    try {
      await run(...given)
    } finally {
      running.current = false
      setRunning(false)
    }
  }
  return { once, isRunning }
}
