/** A row of the outline, or its card on the canvas, as it stands on the page. */
export function rowElement(key: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`:is([role=treeitem], button)[data-key="${CSS.escape(key)}"]`)
}

/** Leads to a row once it is there, and whatever layer was over it is gone. */
export function focusRow(key: string): void {
  requestAnimationFrame(() => requestAnimationFrame(() => rowElement(key)?.focus()))
}
