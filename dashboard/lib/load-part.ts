import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react'
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

type Part<P> = {
  load: () => Promise<{ default: ComponentType<P> }>
  /** Stands in its place. */
  until: ReactNode
  loading?: Promise<ComponentType<P>>
  component?: ComponentType<P>
}

/**
 * A component that is loaded when it is shown first; until it is there, `until` stands in its place. It is no `lazy` of React's in a
 * `Suspense`: React keeps a sign of waiting, even an empty one, for 300 ms, and most scripts have come in a tenth of that.
 */
export function lazyPart<P extends object>(load: Part<P>['load'], until: ReactNode = null): LazyPart<P> {
  const part: Part<P> = { load, until }
  return Object.assign((props: P) => createElement(ShownPart<P>, { part, props }), {
    ask: () => componentOf(part),
    isHere: () => part.component !== undefined,
  })
}

type LazyPart<P> = ComponentType<P> & { ask: () => Promise<unknown>; isHere: () => boolean }

/** Asks for parts before they are shown, and says whether they are there, or cannot be had; always the same list. */
export function usePartsHere(parts: readonly Pick<LazyPart<never>, 'ask' | 'isHere'>[]): boolean {
  const [isAsked, setAsked] = useState(() => parts.every((part) => part.isHere()))
  useEffect(() => {
    if (!isAsked) Promise.allSettled(parts.map((part) => part.ask())).then(() => setAsked(true))
  }, [parts, isAsked])
  return isAsked
}

function ShownPart<P extends object>({ part, props }: { part: Part<P>; props: P }): ReactNode {
  const [component, setComponent] = useState(() => part.component)
  const [fault, setFault] = useState<Error>()
  useEffect(() => {
    if (!component) componentOf(part).then((loaded) => setComponent(() => loaded), setFault)
  }, [part, component])
  if (fault) throw fault
  return component ? createElement(component, props) : part.until
}

async function componentOf<P>(part: Part<P>): Promise<ComponentType<P>> {
  part.loading ??= loadPart(part.load).then((loaded) => loaded.default)
  try {
    part.component = await part.loading
  } catch (error) {
    // Where it is shown next, it is asked for anew.
    delete part.loading
    throw error
  }
  return part.component
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
