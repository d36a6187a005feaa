import { type RefObject, useLayoutEffect, useRef } from 'react'
import { isFocusFree, passFocus } from './passed-focus.ts'

/**
 * A busy button is disabled, and the browser takes the focus from it, at once or a moment later: it has it again at the end, unless
 * somebody else has it by then. A button that its own act takes away passes it on.
 */
export function useKeptFocus(isBusy: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  /** Also when it has been taken away only because the button was disabled. */
  const hasFocus = useRef(false)
  const hadFocus = useRef(false)
  useLayoutEffect(() => {
    const own = button.current
    const come = () => {
      hasFocus.current = true
    }
    const gone = () => {
      hasFocus.current &&= own?.disabled === true
    }
    own?.addEventListener('focus', come)
    own?.addEventListener('blur', gone)
    return () => {
      own?.removeEventListener('focus', come)
      own?.removeEventListener('blur', gone)
      if (hadFocus.current) passFocus()
    }
  }, [])
  useLayoutEffect(() => {
    if (isBusy) hadFocus.current = hasFocus.current
    else if (hadFocus.current && isFocusFree()) button.current?.focus({ preventScroll: true })
    else hasFocus.current = button.current === document.activeElement
  }, [isBusy])
  return button
}
