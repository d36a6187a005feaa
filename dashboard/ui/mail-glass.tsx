import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { documentOf } from './mail-document.ts'
import classes from './mail-frame.module.css'
import { bringIntoSight, paneOf, sightOf } from './scroll-pane.ts'

const MARK = /(?:^|\s)mark-(\d+)(?:\s|$)/

export type Side = 'before' | 'after' | 'into'
/** Elements by where they begin in the mail's source. */
export type ElementMover = {
  /** Whether one may stand there, and which way the others there follow each other. */
  fits: (dragged: number, target: number, side: Side) => 'down' | 'across' | undefined
  move: (dragged: number, target: number, side: Side) => void
}

/** A press that goes farther than this drags. */
const DRAG_PX = 6
/** Near the edge of what one sees of it the mail goes along. */
const EDGE_PX = 60
const EDGE_STEP_PX = 16

type Props = {
  frame: RefObject<HTMLIFrameElement | null>
  /** Counts up when what is seen has changed, or its places. */
  draws: number
  marked: number | null
  onPick: (begin: number) => void
  mover?: ElementMover | undefined
}
type Drag = { dragged: number; x: number; y: number; target: Target | undefined; isMoving: boolean }
type Target = { begin: number; side: Side; way: 'down' | 'across'; box: Box }
type Box = { left: number; top: number; width: number; height: number }

/**
 * Lies over a mail and finds the element below the pointer, for no engine tells the page of clicks in a frame without scripts.
 * The keys' way to the same is the list of blocks.
 */
export function MailGlass({ frame, draws, marked, onPick, mover }: Props) {
  const [hovered, setHovered] = useState<number | null>(null)
  const [drag, setDrag] = useState<Drag>()
  const wasDragged = useRef(false)
  const [boxes, setBoxes] = useState<{ hovered: Box | undefined; marked: Box | undefined }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: elements stand elsewhere when what is shown has changed
  useEffect(() => {
    const inner = documentOf(frame.current)
    setBoxes({ hovered: boxOf(inner, hovered), marked: boxOf(inner, marked) })
  }, [frame, draws, hovered, marked])
  const glass = useRef<HTMLDivElement>(null)
  /** What was brought into sight last; an element that is still to be drawn waits for that. */
  const brought = useRef(marked)
  // biome-ignore lint/correctness/useExhaustiveDependencies: elements stand elsewhere when what is shown has changed
  useEffect(() => {
    const box = boxOf(documentOf(frame.current), marked)
    if (box === undefined || brought.current === marked || glass.current === null) return
    brought.current = marked
    bringIntoSight(glass.current, box)
  }, [frame, draws, marked])
  const below = (event: MouseEvent) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const [x, y] = [event.clientX - left, event.clientY - top]
    const inner = documentOf(frame.current)
    return { inner, x, y, marks: marksBelow(inner, x, y) }
  }
  const at = (event: MouseEvent) => below(event).marks[0] ?? null
  const begin = (event: PointerEvent) => {
    wasDragged.current = false
    if (!mover || event.button !== 0 || event.pointerType === 'touch') return
    const { x, y, marks } = below(event)
    const dragged = marks.find((mark) => mark === marked) ?? marks[0]
    if (dragged !== undefined) setDrag({ dragged, x, y, target: undefined, isMoving: false })
  }
  const go = (event: PointerEvent) => {
    if (!drag || !mover) return
    const { inner, x, y, marks } = below(event)
    const isMoving = drag.isMoving || Math.hypot(x - drag.x, y - drag.y) > DRAG_PX
    if (!isMoving) return
    if (!drag.isMoving) event.currentTarget.setPointerCapture(event.pointerId)
    const pane = paneOf(event.currentTarget)
    const { top, bottom } = sightOf(pane)
    const goesOn = pane ?? window
    if (event.clientY < top + EDGE_PX) goesOn.scrollBy(0, -EDGE_STEP_PX)
    else if (event.clientY > bottom - EDGE_PX) goesOn.scrollBy(0, EDGE_STEP_PX)
    setDrag({ ...drag, isMoving, target: targetOf({ inner, x, y, marks }, drag.dragged, mover) })
  }
  const drop = () => {
    wasDragged.current = drag?.isMoving ?? false
    if (drag?.target) mover?.move(drag.dragged, drag.target.begin, drag.target.side)
    setDrag(undefined)
  }
  useEffect(() => {
    if (!drag?.isMoving) return
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && setDrag(undefined)
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [drag?.isMoving])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a second way to what the list of blocks has by every key
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the list of blocks
    <div
      ref={glass}
      className={classes.glass}
      onMouseMove={(event) => setHovered(at(event))}
      onMouseLeave={() => setHovered(null)}
      data-dragging={drag?.isMoving || undefined}
      onPointerDown={begin}
      onPointerMove={go}
      onPointerUp={drop}
      onPointerCancel={() => setDrag(undefined)}
      onClick={(event) => {
        const found = wasDragged.current ? null : at(event)
        if (found !== null) onPick(found)
      }}
    >
      {boxes?.hovered && <div className={classes.box} style={boxes.hovered} />}
      {boxes?.marked && <div className={classes.box} data-chosen style={boxes.marked} />}
      {drag?.target && (
        <div className={classes.drop} data-side={drag.target.side} data-way={drag.target.way} style={drag.target.box} />
      )}
    </div>
  )
}

/** Elements of the mail at a place, the innermost first. */
function marksBelow(inner: Document | null, x: number, y: number): number[] {
  const marks: number[] = []
  const next = (element: Element | null | undefined) => element?.closest('[class*="mark-"]') ?? null
  for (let element = next(inner?.elementFromPoint(x, y)); element; element = next(element.parentElement)) {
    const [, begin] = MARK.exec(element.className) ?? []
    if (begin !== undefined) marks.push(Number(begin))
  }
  return marks
}

type Point = { inner: Document | null; x: number; y: number; marks: readonly number[] }

/** Beside the innermost element that it may stand beside, on the nearer side; or in the innermost that may hold it. */
function targetOf({ inner, x, y, marks }: Point, dragged: number, mover: ElementMover): Target | undefined {
  for (const begin of marks) {
    const box = boxOf(inner, begin)
    if (box === undefined) continue
    for (const way of ['down', 'across'] as const) {
      const isFirstHalf = way === 'down' ? y < box.top + box.height / 2 : x < box.left + box.width / 2
      const side = isFirstHalf ? 'before' : 'after'
      if (mover.fits(dragged, begin, side) === way) return { begin, side, way, box }
    }
    if (mover.fits(dragged, begin, 'into')) return { begin, side: 'into', way: 'down', box }
  }
  return undefined
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
