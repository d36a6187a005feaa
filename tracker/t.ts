import { type ConsentState, deny, forgetAll, grant, isAllowed, isCookieless, stated, whenAllowed } from './consent.ts'
import { put } from './queue.ts'
import { page, track } from './record.ts'
import { send, sendSoon } from './send.ts'
import { mode, say } from './settings.ts'
import { keepVisitor, knownVisitor, randomId, visitor, wipe } from './visitor.ts'
import { watchLife, watchPages } from './watch.ts'

/*
 * The tracker, `/t.js`: `postroom('track', 'product.seen', { sku: 'A-1' })`. The tag that brings it has its settings
 * (`settings.ts`); calls that were made before it came wait in the stub's `q`.
 */

type Stub = { (...call: unknown[]): unknown; q?: ArrayLike<unknown>[]; on?: boolean }

const commands = {
  page,
  track,
  flush: send,

  identify(who: object): void {
    whenAllowed(() => {
      if (isCookieless) return say('identify: cookieless')
      put('identify', JSON.stringify({ visitorId: visitor(), consent: stated() || mode, ...who }))
      // Pages tend to be left right after somebody has logged in.
      send()
    })
  },

  consent(state: ConsentState, wording?: string): void {
    if (state === stated()) return
    const isGrant = state === 'granted'
    const known = knownVisitor()
    const tell = () => {
      // A withdrawal is kept in memory alone until it is told; of somebody who never agreed there is nothing to tell.
      const visitorId = isGrant && !isCookieless ? visitor() : known
      if (visitorId) put('consent', JSON.stringify({ visitorId, state, wording }), isGrant)
    }
    if (isGrant) grant(tell)
    else {
      deny()
      tell()
    }
    sendSoon()
  },

  reset(): void {
    whenAllowed(() => isCookieless || keepVisitor(randomId()))
  },

  forget(): void {
    const visitorId = knownVisitor()
    forgetAll()
    if (visitorId) put('forget', JSON.stringify({ visitorId }), false)
    send()
  },

  visitorId(tell?: (id: string | undefined) => void): string | undefined {
    const id = isAllowed() && !isCookieless ? visitor() : undefined
    tell?.(id)
    return id
  },
}

const holder = window as unknown as { postroom?: Stub }
const waiting: unknown[][] = []
const stub: Stub = holder.postroom ?? Object.assign((...call: unknown[]) => waiting.push(call), { q: waiting })
holder.postroom = stub

// A page that has the tag twice has one tracker.
if (!stub.on) {
  stub.on = true
  // A page that is made ready in advance may never be seen.
  if ((document as { prerendering?: boolean }).prerendering) {
    document.addEventListener('prerenderingchange', start, { once: true })
  } else start()
}

function start(): void {
  if (!isAllowed() && !stated()) wipe()
  if (isAllowed() && !isCookieless) keepVisitor(visitor())
  holder.postroom = Object.assign(run, { on: true })
  for (const call of stub.q ?? []) run(...Array.from(call))
  land()
  watchPages()
  watchLife()
  sendSoon()
}

/** A link of our mail has led here: says which, behind what the page says itself, and takes it off the address. */
function land(): void {
  const [part, link] = /[?&]pr_link=([\w-]+)/.exec(location.href) ?? []
  if (!link) return
  history.replaceState(history.state, '', location.href.replace(part!, ''))
  commands.identify({ link })
}

/** Nothing that is wrong with a call stops the page that makes it. */
function run(...call: unknown[]): unknown {
  const [name, ...rest] = call
  try {
    return (commands[name as keyof typeof commands] as (...given: unknown[]) => unknown)(...rest)
  } catch (error) {
    say(call, error)
  }
}
