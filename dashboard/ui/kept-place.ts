import { isFocusFree, passFocus } from './passed-focus.ts'

const LEADS = ':is(a[href], button, input, select, textarea, summary, [tabindex]):not([tabindex="-1"], :disabled)'
/** Parts in which one goes on; beyond them it is the head of the page, or of the layer. */
const PARTS = 'main, [role=dialog]'

/** Where something stands among others, so that what is beside it is known once it is gone. */
type Place = { around: Element; at: number }

/**
 * Whoever works by keys goes on where they were: when what has the focus goes away, as a filter that is cleared or a tag that is taken
 * off, the next one in its place has it, or the one before. Nothing is taken from whoever points: no telephone shows its keys by itself.
 */
export function keepPlace(): void {
  let held: Element | undefined
  let places: readonly Place[] = []
  let head: Element | null = null
  let isByKeys = false
  const look = () => {
    if (held === undefined || held.isConnected) return
    // A page that went as a whole, with its head, has left no place: one goes on at the head of the next.
    const left = head?.isConnected === false ? [] : places
    held = undefined
    if (!isByKeys) return
    // What says itself where one goes on has said so by then.
    requestAnimationFrame(() => {
      const beside = document.activeElement === document.body ? besideOf(left) : undefined
      if (beside) beside.focus()
      else passFocus()
    })
  }
  addEventListener('keydown', () => (isByKeys = true), true)
  addEventListener('pointerdown', () => (isByKeys = false), true)
  addEventListener('focusin', ({ target }) => {
    held = target as Element
    head = document.querySelector('main h1')
    places = placesOf(held)
  })
  // Left by hand for nothing, it is no place to go on at.
  addEventListener('focusout', ({ target }) => {
    queueMicrotask(() => {
      if (target === held && held.isConnected && isFocusFree()) held = undefined
    })
  })
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
}

function placesOf(element: Element): Place[] {
  const places: Place[] = []
  for (let one = element; one.parentElement && !one.matches(PARTS); one = one.parentElement)
    places.push({ around: one.parentElement, at: [...one.parentElement.children].indexOf(one) })
  return places
}

/** What leads on in the smallest part that is still there: at the place of what is gone or behind it, or before it. */
function besideOf(places: readonly Place[]): HTMLElement | undefined {
  for (const { around, at } of places) {
    if (!around.isConnected || !around.closest(PARTS)) continue
    const parts = [...around.children]
    const found = parts.slice(at).flatMap(leadsOf)[0] ?? parts.slice(0, at).flatMap(leadsOf).at(-1)
    if (found) return found
  }
  return undefined
}

function leadsOf(part: Element): HTMLElement[] {
  const all = [part, ...part.querySelectorAll<HTMLElement>(LEADS)] as HTMLElement[]
  return all.filter((one) => one.matches(LEADS) && one.checkVisibility({ visibilityProperty: true }))
}
