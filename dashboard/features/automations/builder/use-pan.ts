import { type RefObject, useEffect, useLayoutEffect } from 'react'
import { ENTER_KEY } from './outline-rows.ts'

type Pane = RefObject<HTMLElement | null>
/** Between a card that is led to and the edge of the pane. */
const ROOM_PX = 24

/** The part of the tree that is seen: it begins at what is chosen, goes along with it, and is dragged by the pointer. */
export function usePan(pane: Pane, at: string): void {
  useLayoutEffect(() => {
    const element = pane.current
    const card = chosenIn(element)
    if (element && card) show(element, card, card.dataset.key === ENTER_KEY ? 'top' : 'middle')
  }, [pane])
  useEffect(() => {
    const element = pane.current
    const card = chosenIn(element)
    if (element && card && at !== '' && !isSeen(element, card)) show(element, card, 'middle')
  }, [pane, at])
  useEffect(() => {
    const element = pane.current
    if (!element) return
    const onDown = (event: PointerEvent) => {
      if (event.button > 1 || event.pointerType === 'touch') return
      if (event.button === 0 && (event.target as Element).closest('button, a')) return
      if (isOnScrollbar(element, event)) return
      event.preventDefault()
      drag(element, event)
    }
    element.addEventListener('pointerdown', onDown)
    return () => element.removeEventListener('pointerdown', onDown)
  }, [pane])
}

function drag(element: HTMLElement, { clientX, clientY, pointerId }: PointerEvent): void {
  const { scrollLeft, scrollTop } = element
  element.setPointerCapture(pointerId)
  element.dataset.held = 'true'
  const onMove = (event: PointerEvent) => {
    element.scrollLeft = scrollLeft + clientX - event.clientX
    element.scrollTop = scrollTop + clientY - event.clientY
  }
  const onEnd = () => {
    delete element.dataset.held
    element.removeEventListener('pointermove', onMove)
    element.removeEventListener('lostpointercapture', onEnd)
  }
  element.addEventListener('pointermove', onMove)
  element.addEventListener('lostpointercapture', onEnd)
}

function isOnScrollbar(element: HTMLElement, { clientX, clientY }: PointerEvent): boolean {
  const { left, top } = element.getBoundingClientRect()
  return clientX - left > element.clientWidth || clientY - top > element.clientHeight
}

const chosenIn = (element: HTMLElement | null) => element?.querySelector<HTMLElement>('[data-chosen]') ?? null

function isSeen(element: HTMLElement, card: HTMLElement): boolean {
  const [pane, box] = [element.getBoundingClientRect(), card.getBoundingClientRect()]
  return box.left >= pane.left && box.right <= pane.right && box.top >= pane.top && box.bottom <= pane.bottom
}

/** By the pane alone: the page stays where it is. */
function show(element: HTMLElement, card: HTMLElement, where: 'top' | 'middle'): void {
  const [pane, box] = [element.getBoundingClientRect(), card.getBoundingClientRect()]
  element.scrollLeft += box.left + box.width / 2 - (pane.left + pane.width / 2)
  element.scrollTop +=
    where === 'top' ? box.top - pane.top - ROOM_PX : box.top + box.height / 2 - pane.top - pane.height / 2
}
