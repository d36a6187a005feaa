import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { waitToRetry } from './busy-server.ts'

const RETRY_SECONDS = 2
/** A page that is younger is the page of now: what it misses is told as a fault, and not asked for over and over. */
const YOUNG_MS = 10_000

/**
 * Loads a part of a page. While the server is away it is asked again and again, visibly, and the page stays. A part that a deploy has
 * taken away brings the page of now, which knows the new names.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (let isHere = false; ; ) {
    try {
      await Promise.all([...lostLinks].map(loadAgain))
      return await load()
    } catch (error) {
      if (isHere) {
        if (performance.now() < YOUNG_MS) throw error
        location.reload()
        return new Promise(() => {})
      }
      isHere = await fetch('/site/auth/session').then(
        ({ status }) => status < 500,
        () => false,
      )
      if (!isHere) await waitToRetry(RETRY_SECONDS, undefined)
    }
  }
}

/** A component that is loaded when it is shown first, within a `Suspense`. */
export function lazyPart<P>(load: () => Promise<{ default: ComponentType<P> }>): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => loadPart(load))
}

/** Stylesheets and modules that did not come: Vite asks for each once, and takes one that failed for there. */
const lostLinks = new Set<HTMLLinkElement>()
addEventListener('error', ({ target }) => target instanceof HTMLLinkElement && lostLinks.add(target), true)

const loadAgain = (link: HTMLLinkElement) =>
  new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement
    again.onload = resolve
    again.onerror = reject
    lostLinks.delete(link)
    link.replaceWith(again)
  })
