/** The part of the page that scrolls by itself and has this in it; undefined where the page itself does. */
export function paneOf(element: Element): Element | undefined {
  for (let pane = element.parentElement; pane !== null; pane = pane.parentElement) {
    if (pane.scrollHeight > pane.clientHeight && getComputedStyle(pane).overflowY === 'auto') return pane
  }
  return undefined
}

/** Where one sees of a pane, or of the page, in the window. */
export function sightOf(pane: Element | undefined): { top: number; bottom: number } {
  const { top, bottom } = pane?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight }
  return { top: Math.max(0, top), bottom: Math.min(innerHeight, bottom) }
}

/** Brings a stretch of what is in a pane into sight, unless one is at work in that pane: nothing moves below the hands. */
export function bringIntoSight(within: Element, { top, height }: { top: number; height: number }): void {
  const pane = paneOf(within)
  if (pane === undefined || pane.contains(document.activeElement)) return
  const sight = sightOf(pane)
  const begin = within.getBoundingClientRect().top + top
  const room = sight.bottom - sight.top
  if (begin >= sight.top && begin + Math.min(height, room) <= sight.bottom) return
  pane.scrollBy(0, begin - sight.top - Math.max(0, room - height) / 2)
}
