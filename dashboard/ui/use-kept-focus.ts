import { type RefObject, useLayoutEffect, useRef } from 'react'

/** A busy button is disabled, and the browser takes the focus from it: it has it again at the end, unless somebody else has it by then. */
export function useKeptFocus(isBusy: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const hadFocus = useRef(false)
  useLayoutEffect(() => {
    const { activeElement, body } = document
    if (isBusy) hadFocus.current = activeElement === button.current
    else if (hadFocus.current && activeElement === body) button.current?.focus({ preventScroll: true })
  }, [isBusy])
  return button
}
