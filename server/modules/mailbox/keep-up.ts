import { LOCAL_TIMES } from './mailbox-text.ts'

/** Between two looks at what has come. */
export const REFRESH_SECONDS = 5

/**
 * The list keeps itself up to date where it stands, by the same page asked for once more: a reload would call off the way to a mail that
 * somebody has just chosen, and take the focus from where it is. Nothing is changed under the fingers of somebody who types, or while
 * nobody looks. A session that has ended leads to the login.
 */
export const KEEP_UP = `${LOCAL_TIMES}
let known = ''
const isBusy = () =>
  document.hidden || [...document.querySelectorAll('input')].some((input) => document.activeElement === input || input.value !== '')
async function lookAgain() {
  if (isBusy()) return
  const answer = await fetch(location.href).catch(() => undefined)
  if (answer?.redirected) location.reload()
  if (!answer?.ok || answer.redirected) return
  const text = await answer.text()
  if (text === known || isBusy()) return
  known = text
  const main = document.querySelector('main'), next = new DOMParser().parseFromString(text, 'text/html')
  const focused = main.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null
  document.title = next.title
  main.replaceChildren(...next.querySelector('main').childNodes)
  showLocalTimes()
  const again = [...main.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)
  again?.focus({ preventScroll: true })
}
async function keepUp() {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, ${REFRESH_SECONDS * 1_000}))
    await lookAgain()
  }
}
keepUp()`
