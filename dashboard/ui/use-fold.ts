import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

type Wanted = { numeric?: boolean; width?: string }

/** What a column needs that shares what is left, and the first that says what a row is. */
const WORDS_PX = 116
const FIGURES_PX = 76
const FIRST_PX = 190
const BOX_PX = 44
/** Folding a list can take the scrollbar from the page: the room that this gives does not unfold the list again, and so on. */
const SCROLLBAR_PX = 20

/** The width below which columns of a table cut their heads and break their words. */
export function widthFor([first, ...others]: readonly Wanted[], boxes = false): number {
  const rest = others.reduce((sum, column) => sum + widthOf(column), boxes ? BOX_PX : 0)
  const share = Number(/^(\d+)%$/.exec(first?.width ?? '')?.[1] ?? 0) / 100
  return Math.max(rest + FIRST_PX, Math.ceil(rest / (1 - share)))
}

function widthOf({ numeric, width }: Wanted): number {
  const [, px] = /(\d+)px/.exec(width ?? '') ?? []
  return px === undefined ? (numeric ? FIGURES_PX : WORDS_PX) : Number(px)
}

/** Whether what `ref` is put on is narrower than so many px. */
export function useNarrower(px: number): { ref: RefObject<HTMLElement | null>; narrower: boolean } {
  const ref = useRef<HTMLElement>(null)
  const [narrower, setNarrower] = useState(false)
  useLayoutEffect(() => {
    const of = ref.current
    if (of === null) return
    const measure = () => setNarrower((was) => of.clientWidth < (was ? px + SCROLLBAR_PX : px))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(of)
    return () => observer.disconnect()
  }, [px])
  return { ref, narrower }
}
