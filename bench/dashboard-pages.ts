import type { Page } from 'playwright-core'

/** Told by the page itself: how long it was from an act to when it shows what the act is for. */
export const IN_PAGE = `(() => {
  globalThis.took = (act, isDone) => new Promise((resolve, reject) => {
    const startedMs = performance.now()
    act()
    const look = () => {
      const ms = performance.now() - startedMs
      if (isDone()) resolve(ms)
      else if (ms > 30000) reject(new Error('it was not shown within 30 s: ' + location.href + ' ' + isDone))
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  globalThis.list = () => {
    const section = document.querySelector('main section[aria-label=Contacts]')
    if (section?.getAttribute('aria-busy') === 'true' || document.querySelector('main [data-busy]')) return undefined
    return (section?.innerText ?? document.querySelector('main h2')?.innerText) + document.querySelector('main nav[aria-label=Pages] p')?.innerText
  }
  globalThis.write = (field, text) => {
    const kind = field.tagName === 'SELECT' ? HTMLSelectElement : HTMLInputElement
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, text)
    field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }))
  }
  globalThis.enter = (field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  globalThis.link = (name) => [...document.querySelectorAll('a')].find((one) => one.innerText.trim() === name)
  // From the key to when what it writes stands in the page, laid out: a frame later at most it is seen.
  globalThis.watchKeys = (selector) => {
    const editor = document.querySelector(selector)
    const times = []
    let keyMs
    addEventListener('keydown', ({ timeStamp }) => { keyMs = timeStamp }, { capture: true })
    new MutationObserver(() => {
      if (keyMs === undefined) return
      editor.getBoundingClientRect()
      times.push(performance.now() - keyMs)
      keyMs = undefined
    }).observe(editor, { childList: true, subtree: true, characterData: true })
    globalThis.keyTimes = times
  }
})()`

/** From an act to other rows in the list of contacts. */
export function toRows(page: Page, act: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const before = list()
    return took(() => { ${act} }, () => { const now = list(); return now !== undefined && now !== before })
  })()`)
}

export const field = (label: string) => `document.querySelector('main [aria-label=${JSON.stringify(label)}]')`

/** From a click on a link to the page of that name, with these words in it, that waits for nothing any more. */
export function toPage(page: Page, { name, words }: { name: string; words: string }): Promise<number> {
  return page.evaluate<number>(`took(() => link(${JSON.stringify(name)}).click(), () => {
    const main = document.querySelector('main')
    return main?.querySelector('h1')?.innerText === ${JSON.stringify(name)} && main.querySelector('[data-busy]') === null &&
      main.innerText.includes(${JSON.stringify(words)})
  })`)
}

/** Types into the editor that has the focus, and says how long each key took. */
export async function keyTimes(page: Page, selector: string, keys: number): Promise<number[]> {
  await page.evaluate(`watchKeys(${JSON.stringify(selector)})`)
  for (let key = 0; key < keys; key++) await page.keyboard.type('typing '[key % 7]!, { delay: 40 })
  return page.evaluate<number[]>('keyTimes')
}

/** From a word in the words of a block to the mail that the server makes of it. */
export async function toPreview(page: Page, word: string): Promise<number> {
  const shown = page.evaluate<number>(`took(() => undefined,
    () => document.querySelector('iframe[title="The mail"]').contentDocument.body?.innerText.includes(${JSON.stringify(word)}))`)
  await page.keyboard.insertText(word)
  return shown
}

/** Bytes of scripts that are in use, once what is not is gone. */
export async function usedBytes(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize
}
