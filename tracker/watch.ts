import { page, pageMayHaveChanged, track } from './record.ts'
import { send, sendNow, sendSoon } from './send.ts'
import { auto } from './settings.ts'

/** Events that elements name: `data-postroom-event="name"`, and `data-postroom-plan="pro"` for a property `plan`. */
const NAMED = 'postroomEvent'
const PREFIX_CHARS = 'postroom'.length

/** Recording by itself: page views, and clicks on what names an event. */
export function watchPages(): void {
  if (auto.includes('pages')) {
    const { pushState } = history
    history.pushState = function (...change) {
      pushState.apply(this, change)
      pageMayHaveChanged()
    }
    addEventListener('popstate', pageMayHaveChanged)
    page()
  }
  if (auto.includes('links')) {
    // On the way down: nothing of the page stops it there.
    addEventListener('click', ({ target }) => trackNamed((target as Element).closest?.('[data-postroom-event]')), true)
  }
}

function trackNamed(element: Element | null | undefined): void {
  if (!element) return
  const { [NAMED]: action, ...dataset } = (element as HTMLElement).dataset
  const properties: Record<string, unknown> = {}
  for (const name in dataset) {
    if (/^postroom[A-Z]/.test(name)) {
      properties[name[PREFIX_CHARS]!.toLowerCase() + name.slice(PREFIX_CHARS + 1)] = dataset[name]
    }
  }
  track(action!, properties)
}

/** Moments at which a page sends: before it goes, and when it is back. */
export function watchLife(): void {
  addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && sendNow())
  addEventListener('pagehide', sendNow)
  addEventListener('online', () => send())
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    // Out of the back-forward cache: the document is the same, the visit is another, and where it came from is not told.
    if (auto.includes('pages')) page({ referrer: '' })
    sendSoon()
  })
}
