/** A key, or two one after the other (`g c`), and what it does. */
export type Shortcut = { keys: string; does: string; run: () => void }

const SEQUENCE_MS = 1_200

/** Listens for keys that no field is asking for. Answers what ends it. */
export function listenToShortcuts(shortcuts: () => readonly Shortcut[]): () => void {
  let first = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return
    if (document.querySelector('[role=dialog]') !== null) return
    const keys = first === '' ? event.key : `${first} ${event.key}`
    const all = shortcuts()
    const found = all.find((one) => one.keys === keys)
    clearTimeout(timer)
    first = ''
    if (found) {
      event.preventDefault()
      found.run()
    } else if (all.some((one) => one.keys.startsWith(`${event.key} `))) {
      first = event.key
      timer = setTimeout(() => {
        first = ''
      }, SEQUENCE_MS)
    }
  }
  addEventListener('keydown', onKey)
  return () => {
    clearTimeout(timer)
    removeEventListener('keydown', onKey)
  }
}

/** Single keys are off where somebody writes. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
