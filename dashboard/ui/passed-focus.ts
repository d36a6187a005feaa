import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/** Whether nobody has the focus, or only the head of the page, which has it when nobody else does. */
export function isFocusFree(): boolean {
  const { activeElement, body } = document
  return activeElement === body || activeElement?.matches('main h1') === true
}

/** Where one goes on: in the layer that is open, at the head of the page, or on a page that is still on its way. */
function head(): HTMLElement | null {
  const layers = document.querySelectorAll<HTMLElement>('[role=dialog]')
  return layers[layers.length - 1] ?? document.querySelector('main h1') ?? document.querySelector('main')
}

/** What goes away with the focus leaves it nowhere: once the rest is there, this has it, or the head of what is seen. */
export function passFocus(to: Element | null = null): void {
  requestAnimationFrame(() => {
    if (!isFocusFree()) return
    const place = to?.isConnected && to !== document.body ? (to as HTMLElement) : head()
    place?.focus({ preventScroll: true })
    if (place) passOnWhenGone(place)
  })
}

/** What goes away itself, as a button whose dialog has changed the page, passes the focus on that it was given back. */
function passOnWhenGone(place: HTMLElement): void {
  const onLeft = () => requestAnimationFrame(() => !place.isConnected && passFocus())
  place.addEventListener('focusout', onLeft, { once: true })
}

/** Of a layer: once it is gone, what opened it has the focus again. */
export function useFocusBack(opened: boolean): void {
  useEffect(() => {
    const opener = document.activeElement
    return () => {
      if (opened) passFocus(opener)
    }
  }, [opened])
}

/** Of a part that goes away by an act in it. */
export function useFocusPassed(): RefObject<HTMLDivElement | null> {
  const part = useRef<HTMLDivElement>(null)
  useLayoutEffect(
    () => () => {
      if (part.current?.contains(document.activeElement)) passFocus()
    },
    [],
  )
  return part
}
