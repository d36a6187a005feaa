import { mode } from './settings.ts'
import { OURS, read, write } from './storage.ts'
import { wipe } from './visitor.ts'

/*
 * Whether anything may be stored and sent. `required`: once the person has granted it. `implied`: until they deny it, by
 * Global Privacy Control too. `cookieless`: nothing is ever stored.
 */

export type ConsentState = 'granted' | 'denied'

const NAME = `${OURS}consent`
/** Calls that wait for an answer, in this page alone. */
const WAITING_MAX = 100
let waiting: (() => void)[] = []

const isImplied = mode === 'implied'
export const isCookieless = mode === 'cookieless'

/** The person's own word, from any tab. */
export const stated = (): string => read(NAME)

export function isAllowed(): boolean {
  const word = stated()
  if (isCookieless) return word !== 'denied'
  const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean }
  return word ? word === 'granted' : isImplied && !globalPrivacyControl
}

/** Does it now, or when the person grants it while this page is open, or never. */
export function whenAllowed(act: () => void): void {
  if (isAllowed()) act()
  else if (stated() !== 'denied' && waiting.length < WAITING_MAX) waiting.push(act)
}

/** Does first what is to happen before everything that has waited. */
export function grant(first: () => void): void {
  write(NAME, 'granted')
  first()
  const acts = waiting
  waiting = []
  for (const act of acts) act()
}

/** Takes back everything. Only where tracking is implied is the denial itself stored: elsewhere it is not needed. */
export function deny(): void {
  forgetAll()
  write(NAME, 'denied', isImplied)
}

/** Leaves this browser as if it had never been here. */
export function forgetAll(): void {
  waiting = []
  wipe()
}
