import { useEffect } from 'react'
import { isTyping } from '../../../lib/shortcuts.ts'

/** `/` where nobody writes and no layer is open; before the application hears of it, whose own search this is in place of. */
export function useFindKey(find: (() => void) | undefined): void {
  useEffect(() => {
    if (!find) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (isTyping(event.target) || document.querySelector('[role=dialog]') !== null) return
      event.preventDefault()
      event.stopPropagation()
      find()
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [find])
}
