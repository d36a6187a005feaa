import { type RefObject, useEffect, useState } from 'react'

/** Pixels around the window in which something counts as seen already. */
const MARGIN = '200px'

/** Whether an element has come into the window, or near it. It stays true. */
export function useWasSeen(element: RefObject<Element | null>): boolean {
  const [wasSeen, setSeen] = useState(false)
  useEffect(() => {
    if (wasSeen || !element.current) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: MARGIN },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, wasSeen])
  return wasSeen
}
