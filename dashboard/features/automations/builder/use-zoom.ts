import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'

const STEP = 1.2
const MIN = 0.2
const MAX = 2
/** The smallest at which a tree is shown when it is opened: words on its cards can be read. */
const READABLE = 0.7
/** Room around the tree when all of it is shown. */
const MARGIN_PX = 48
/** Of a wheel, for a step; fingers on a pad give many small ones. */
const WHEEL_PX = 100
/** Sizes are kept to a thousandth. */
const PARTS = 1_000

export type Zoom = {
  zoom: number
  in: () => void
  out: () => void
  /** Its own size. */
  reset: () => void
  /** All of it at once. */
  fit: () => void
}

type Part = RefObject<HTMLElement | null>
/** Where the pane stood before the tree changed its size, and a point of it that stays where it is. */
type Place = { left: number; top: number; x: number; y: number }

/**
 * How large the tree is drawn in its pane: by buttons, by + - 0 and 1 while the canvas has the focus, and by the wheel with
 * Ctrl. It is opened so that all of it is seen, else as wide as the pane, as far as that can be read.
 */
export function useZoom({ canvas, pane, tree }: { canvas: Part; pane: Part; tree: Part }): Zoom {
  const [zoom, setZoom] = useState(1)
  const drawn = useRef(1)
  const place = useRef<Place>(undefined)
  const acts = useMemo(() => {
    const change = (to: (now: number) => number, pointer?: { clientX: number; clientY: number }) => {
      if (pane.current) place.current = placeOf(pane.current, pointer)
      setZoom(to)
    }
    const by = (factor: number, pointer?: WheelEvent) => change((now) => within(now * factor), pointer)
    return {
      change,
      by,
      in: () => by(STEP),
      out: () => by(1 / STEP),
      reset: () => change(() => 1),
      fit: () => change((now) => fitting(pane.current, tree.current, now)),
    }
  }, [pane, tree])
  useLayoutEffect(() => {
    const { wide, high } = room(pane.current, tree.current, 1) ?? { wide: 1, high: 1 }
    const fit = Math.min(wide, high)
    acts.change(() => Math.min(1, fit >= READABLE ? floored(fit) : Math.max(READABLE, floored(wide))))
  }, [acts, pane, tree])
  useLayoutEffect(() => {
    if (pane.current && place.current) keepPlace(pane.current, zoom / drawn.current, place.current)
    drawn.current = zoom
  }, [pane, zoom])
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      acts.by(STEP ** Math.max(-1, Math.min(1, -event.deltaY / WHEEL_PX)), event)
    }
    const keys: Readonly<Record<string, () => void>> = {
      '+': acts.in,
      '=': acts.in,
      '-': acts.out,
      '0': acts.reset,
      '1': acts.fit,
    }
    const onKey = (event: KeyboardEvent) => {
      const act = keys[event.key]
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      act()
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    element.addEventListener('keydown', onKey)
    return () => {
      element.removeEventListener('wheel', onWheel)
      element.removeEventListener('keydown', onKey)
    }
  }, [canvas, acts])
  return { zoom, ...acts }
}

/** The pane as it stands, with the pointer's place in it, or its middle. */
function placeOf(pane: HTMLElement, pointer: { clientX: number; clientY: number } | undefined): Place {
  const { scrollLeft: left, scrollTop: top, clientWidth, clientHeight } = pane
  if (pointer === undefined) return { left, top, x: clientWidth / 2, y: clientHeight / 2 }
  const box = pane.getBoundingClientRect()
  return { left, top, x: pointer.clientX - box.left, y: pointer.clientY - box.top }
}

/** What was there is there again when the tree is drawn larger or smaller. */
function keepPlace(pane: HTMLElement, ratio: number, { left, top, x, y }: Place): void {
  pane.scrollLeft = (left + x) * ratio - x
  pane.scrollTop = (top + y) * ratio - y
}

const within = (zoom: number) => Math.min(MAX, Math.max(MIN, Math.round(zoom * PARTS) / PARTS))

/** The largest at which all cards are seen, their own size at the most. */
function fitting(pane: HTMLElement | null, tree: HTMLElement | null, now: number): number {
  const { wide, high } = room(pane, tree, now) ?? { wide: now, high: now }
  return Math.max(MIN, Math.min(1, floored(Math.min(wide, high))))
}

const floored = (zoom: number) => Math.floor(zoom * PARTS) / PARTS

/** Sizes at which a tree that is drawn at one of them is as wide, and as high, as its pane. */
function room(pane: HTMLElement | null, tree: HTMLElement | null, now: number): { wide: number; high: number } | null {
  const cards = [...(tree?.querySelectorAll('button, [data-frame]') ?? [])].map((card) => card.getBoundingClientRect())
  if (!pane || cards.length === 0) return null
  const width = Math.max(...cards.map(({ right }) => right)) - Math.min(...cards.map(({ left }) => left))
  const height = Math.max(...cards.map(({ bottom }) => bottom)) - Math.min(...cards.map(({ top }) => top))
  return {
    wide: (pane.clientWidth - MARGIN_PX) / (width / now),
    high: (pane.clientHeight - MARGIN_PX) / (height / now),
  }
}
