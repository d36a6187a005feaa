import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** More than any page has: it goes round. */
const TABS_MAX = 200

/** Goes on by the key Tab until this has the focus. */
export async function tabTo(shown: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const focused = shown.locator(':focus')
  for (let left = TABS_MAX; left > 0; left -= 1) {
    if ((await target.and(focused).count()) > 0) return
    await shown.keyboard.press('Tab')
  }
  assert.fail(`nothing leads to ${target}`)
}

/** Acts of somebody who has no pointer. */
export function byKeys(page: Page) {
  return {
    async press(target: Locator): Promise<void> {
      await tabTo(page, target)
      await page.keyboard.press('Enter')
    },
    async write(target: Locator, words: string): Promise<void> {
      await tabTo(page, target)
      await page.keyboard.type(words)
    },
    /** In place of what stands there. */
    async rewrite(target: Locator, words: string): Promise<void> {
      await tabTo(page, target)
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(words)
    },
  }
}
