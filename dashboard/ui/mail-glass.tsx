import { type MouseEvent, type RefObject, useEffect, useState } from 'react'
import { documentOf } from './mail-document.ts'
import classes from './mail-frame.module.css'

const MARK = /(?:^|\s)mark-(\d+)(?:\s|$)/

type Props = {
  frame: RefObject<HTMLIFrameElement | null>
  /** Counts up when what is seen has changed, or its places. */
  draws: number
  marked: number | null
  onPick: (begin: number) => void
}
type Box = { left: number; top: number; width: number; height: number }

/**
 * Lies over a mail and finds the element below the pointer, for no engine tells the page of clicks in a frame without scripts.
 * The keys' way to the same is the list of blocks.
 */
export function MailGlass({ frame, draws, marked, onPick }: Props) {
  const [hovered, setHovered] = useState<number | null>(null)
  const [boxes, setBoxes] = useState<{ hovered: Box | undefined; marked: Box | undefined }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: elements stand elsewhere when what is shown has changed
  useEffect(() => {
    const inner = documentOf(frame.current)
    setBoxes({ hovered: boxOf(inner, hovered), marked: boxOf(inner, marked) })
  }, [frame, draws, hovered, marked])
  const at = (event: MouseEvent) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return markBelow(documentOf(frame.current), event.clientX - left, event.clientY - top)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a second way to what the list of blocks has by every key
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same
    <div
      className={classes.glass}
      onMouseMove={(event) => setHovered(at(event))}
      onMouseLeave={() => setHovered(null)}
      onClick={(event) => {
        const found = at(event)
        if (found !== null) onPick(found)
      }}
    >
      {boxes?.hovered && <div className={classes.box} style={boxes.hovered} />}
      {boxes?.marked && <div className={classes.box} data-chosen style={boxes.marked} />}
    </div>
  )
}

function markBelow(inner: Document | null, x: number, y: number): number | null {
  const found = inner?.elementFromPoint(x, y)?.closest('[class*="mark-"]') ?? null
  for (let element = found; element; element = element.parentElement?.closest('[class*="mark-"]') ?? null) {
    const [, begin] = MARK.exec(element.className) ?? []
    if (begin !== undefined) return Number(begin)
  }
  return null
}

/** The element's place; one that a loop shows several times, from its first to its last. */
function boxOf(inner: Document | null, begin: number | null): Box | undefined {
  const found = begin === null ? [] : [...(inner?.getElementsByClassName(`mark-${begin}`) ?? [])]
  const places = found.map((element) => element.getBoundingClientRect())
  if (places.length === 0) return undefined
  const left = Math.min(...places.map((place) => place.left))
  const top = Math.min(...places.map((place) => place.top))
  const right = Math.max(...places.map((place) => place.right))
  const bottom = Math.max(...places.map((place) => place.bottom))
  return { left, top, width: right - left, height: bottom - top }
}
