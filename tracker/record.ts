import { cleanText, cleanUrl } from './clean-url.ts'
import { isCookieless, whenAllowed } from './consent.ts'
import { put } from './queue.ts'
import { sendSoon } from './send.ts'
import { say } from './settings.ts'
import { randomId, visitor } from './visitor.ts'

type Properties = Record<string, unknown>

/** The page that was recorded last, of those that this document has shown. */
let seen = ''

/** Records an event that happens now. */
export function track(action: string, properties?: Properties): void {
  record({ action, properties, context: { url: cleanUrl(location.href) } })
}

/** Records that a page is seen, with more properties than are known here, or others. */
export function page(properties?: Properties): void {
  const url = cleanUrl(location.href)
  const referrer = seen || cleanUrl(document.referrer)
  seen = url
  record({ action: 'page.view', properties: { url, referrer, title: cleanText(document.title), ...properties } })
}

/** The document shows another page perhaps: routers tell of more than that. */
export function pageMayHaveChanged(): void {
  if (cleanUrl(location.href) !== seen) page()
}

function record(event: { action: string; properties: Properties | undefined; context?: Properties }): void {
  // As it is now: the person may be asked for consent later, and whoever calls may go on with its objects.
  const facts = { id: randomId(), occurredAt: new Date().toISOString(), ...event }
  const text = JSON.stringify(facts)
  say('recorded', text)
  whenAllowed(() => {
    put('events', isCookieless ? text : `${text.slice(0, -1)},"visitorId":"${visitor()}"}`)
    sendSoon()
  })
}
