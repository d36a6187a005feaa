import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'

/*
 * Presses what a page offers, as somebody does who wants to know what each button is for. Whoever calls sees to it that
 * no request which would change anything leaves the browser.
 */

/** Of one visit, unless it is given more. */
const PRESSES_MAX = 25
const VISIT_MS_MAX = 15_000
/** How deep: a button, the entry of its menu, the button of its dialog. */
const LAYERS_MAX = 3

const LEADS_AWAY = /^(Close|Cancel|Copy)\b/
/** What can be pressed now, of the layer that is open, else of the page. Each is marked by its place. */
const OFFERED = `(() => {
  const isSeen = (one) => one.checkVisibility()
  const nameOf = (one) => (one.ariaLabel ?? one.innerText.trim()) || one.title
  const layer = [...document.querySelectorAll('[role=dialog], [role=menu]')].filter(isSeen).at(-1)
  const buttons = [...(layer ?? document.querySelector('main')).querySelectorAll('button, [role=menuitem]')]
    .filter((one) => isSeen(one) && !one.disabled && one.ariaDisabled !== 'true' && !${LEADS_AWAY}.test(nameOf(one)))
  for (const old of document.querySelectorAll('[data-press]')) old.removeAttribute('data-press')
  buttons.forEach((one, at) => one.setAttribute('data-press', at))
  const titled = document.getElementById(layer?.getAttribute('aria-labelledby'))
  return { layer: layer && (titled?.innerText ?? layer.id), names: buttons.map(nameOf) }
})()`
/** Presses one, after what its form requires was filled in. */
const press = (at: number) => `(() => {
  const button = document.querySelector('[data-press="${at}"]')
  for (const field of button?.form?.querySelectorAll('input[required], textarea[required]') ?? []) {
    if (field.value !== '' || field.type === 'checkbox' || field.type === 'file') continue
    const text = { email: 'a@example.com', url: 'https://example.com', number: '1' }[field.type] ?? 'sample'
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  button?.click()
})()`
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))'

/** Without the layer's name where none is open. */
type Offered = { layer?: string; names: string[] }

/** How many buttons the page shows that somebody may press now. */
export async function countOffered(page: Page): Promise<number> {
  return (await page.evaluate<Offered>(OFFERED)).names.length
}

/**
 * Presses each button of `main` and of the menus and dialogs that open, and tells of each before it is pressed. How many it has
 * pressed, and whether that were all; `times` as many as usual may it be, and take as long.
 */
export async function pressAll(
  page: Page,
  idle: () => Promise<void>,
  { tell, times = 1 }: { tell: (what: string) => void; times?: number },
): Promise<{ presses: number; isAll: boolean }> {
  const here = page.url()
  const until = Date.now() + VISIT_MS_MAX * times
  const done = new Set<string>()
  let led: string[] = []
  let presses = 0
  while (presses === 0 || (presses < PRESSES_MAX * times && Date.now() < until)) {
    const { layer, names } = await page.evaluate<Offered>(OFFERED)
    if (layer === undefined) led = []
    const at = names.findIndex((name) => !done.has([...led, name].join(' > ')))
    if (at === -1 || led.length >= LAYERS_MAX) {
      if (led.length === 0) return { presses, isAll: true }
      done.add(led.join(' > '))
      await startAgain(page, here, idle)
      continue
    }
    const way = [...led, names[at]!]
    tell(way.join(' > '))
    presses += 1
    await page.evaluate(press(at))
    // A dialog's own script is asked for once what was pressed is drawn.
    await page.evaluate(TWO_FRAMES)
    await idle()
    await page.evaluate(TWO_FRAMES)
    if (page.url() !== here) {
      done.add(way.join(' > '))
      await startAgain(page, here, idle)
      continue
    }
    const next = await page.evaluate<Offered>(OFFERED)
    if (next.layer !== undefined && next.layer !== layer) led = way
    else done.add(way.join(' > '))
  }
  return { presses, isAll: false }
}

/** Leaves what is open as a person does, or loads the page again where that does not do. */
async function startAgain(page: Page, here: string, idle: () => Promise<void>): Promise<void> {
  if (page.url() === here) {
    await page.keyboard.press('Escape')
    await page.evaluate(TWO_FRAMES)
    if ((await page.evaluate<Offered>(OFFERED)).layer === undefined) return
  }
  await page.goto(here)
  await page.locator('main h1').first().waitFor()
  await idle()
}

/** Waits until no request is under way and the page shows nothing that is still on its way. */
export function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<object>()
  page.on('request', (request) => request.resourceType() !== 'eventsource' && open.add(request))
  for (const name of ['requestfinished', 'requestfailed'] as const) {
    page.on(name as 'requestfinished', (request) => open.delete(request))
  }
  return () => eventually('no request is under way', () => open.size === 0, 5_000).catch(() => open.clear())
}
