import { type RefObject, useLayoutEffect, useRef } from 'react'
import { isFocusFree, passFocus } from './passed-focus.ts'

/**
 * A busy button is disabled, and the browser takes the focus from it: it has it again at the end, unless somebody else has it by
 * then. A button that its own act takes away passes it on.
 */
export function useKeptFocus(isBusy: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const hadFocus = useRef(false)
  useLayoutEffect(() => {
    if (isBusy) hadFocus.current = document.activeElement === button.current
    else if (hadFocus.current && isFocusFree()) button.current?.focus({ preventScroll: true })
  }, [isBusy])
  useLayoutEffect(
    () => () => {
      if (hadFocus.current) passFocus()
    },
    [],
  )
  return button
}
