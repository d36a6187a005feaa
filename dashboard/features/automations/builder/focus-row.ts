/** A row of the outline, or its card on the canvas, as it stands on the page. */
export function rowElement(key: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`:is([role=treeitem], button)[data-key="${CSS.escape(key)}"]`)
}

/** Leads to a row as soon as it is there. */
export function focusRow(key: string): void {
  focusOnceThere(() => rowElement(key))
}

/** Leads to the first field of the form of a row as soon as that is there. */
export function focusForm(key: string): void {
  const form = `[data-step-form="${CSS.escape(key)}"]`
  const field = `${form} :is(input, select, textarea, button):not([disabled])`
  focusOnceThere(() => document.querySelector<HTMLElement>(field))
}

let looking: MutationObserver | undefined

/**
 * Gives the focus to what is about to be drawn in the moment that it is there, before another key is heard. Somebody who has gone
 * on elsewhere meanwhile is left there.
 */
function focusOnceThere(find: () => HTMLElement | null): void {
  looking?.disconnect()
  const from = document.activeElement
  const observer = new MutationObserver(look)
  looking = observer
  observer.observe(document.body, { childList: true, subtree: true })
  look()
  function look(): void {
    const now = document.activeElement
    const found = now === from || now === document.body ? find() : undefined
    if (found === null) return
    observer.disconnect()
    found?.focus()
  }
}
