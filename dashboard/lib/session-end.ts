import { createSignal } from './signal.ts'

/** Requests that found the session over wait in it until somebody has logged in again. */
export const loginAsked = createSignal(false)
let waiting: (() => void)[] = []

/** Resolves when there is a session again; the login stands over the page, which keeps all that was typed. */
export function loggedInAgain(): Promise<void> {
  loginAsked.set(true)
  return new Promise((resolve) => waiting.push(resolve))
}

/** Lets the requests go on that waited. */
export function goOn(): void {
  loginAsked.set(false)
  for (const resolve of waiting) resolve()
  waiting = []
}
