import { type RefObject, useEffect, useState } from 'react'

const STEP = 1.2
const MIN = 0.3
const MAX = 2
/** Room around the tree when all of it is shown. */
const MARGIN_PX = 48
/** Of the window's height, for a tree that is shown whole. */
const HEIGHT_PART = 0.72

export type Zoom = {
  zoom: number
  in: () => void
  out: () => void
  /** Its own size. */
  reset: () => void
  /** All of it at once. */
  fit: () => void
}

/** How large the tree is drawn: by buttons, by + - 0 and 1 while the canvas has the focus, and by the wheel with Ctrl. */
export function useZoom(canvas: RefObject<HTMLElement | null>, tree: RefObject<HTMLElement | null>): Zoom {
  const [zoom, setZoom] = useState(1)
  const by = (factor: number) => setZoom((now) => within(now * factor))
  const acts = {
    in: () => by(STEP),
    out: () => by(1 / STEP),
    reset: () => setZoom(1),
    fit: () => setZoom((now) => fitting(canvas.current, tree.current, now)),
  }
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      setZoom((now) => within(now * (event.deltaY < 0 ? STEP : 1 / STEP)))
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '+' || event.key === '=') setZoom((now) => within(now * STEP))
      else if (event.key === '-') setZoom((now) => within(now / STEP))
      else if (event.key === '0') setZoom(1)
      else if (event.key === '1') setZoom((now) => fitting(element, tree.current, now))
      else return
      event.preventDefault()
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    element.addEventListener('keydown', onKey)
    return () => {
      element.removeEventListener('wheel', onWheel)
      element.removeEventListener('keydown', onKey)
    }
  }, [canvas, tree])
  return { zoom, ...acts }
}

const within = (zoom: number) => Math.min(MAX, Math.max(MIN, Math.round(zoom * 100) / 100))

/** The largest at which all cards are seen, their own size at the most. */
function fitting(canvas: HTMLElement | null, tree: HTMLElement | null, now: number): number {
  const cards = [...(tree?.querySelectorAll('button') ?? [])].map((card) => card.getBoundingClientRect())
  if (!canvas || cards.length === 0) return now
  const width = Math.max(...cards.map(({ right }) => right)) - Math.min(...cards.map(({ left }) => left))
  const height = Math.max(...cards.map(({ bottom }) => bottom)) - Math.min(...cards.map(({ top }) => top))
  const wide = (canvas.clientWidth - MARGIN_PX) / (width / now)
  const high = (window.innerHeight * HEIGHT_PART - MARGIN_PX) / (height / now)
  return Math.max(MIN, Math.min(1, Math.floor(Math.min(wide, high) * 100) / 100))
}
