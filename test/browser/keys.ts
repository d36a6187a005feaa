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
    /** Puts a step behind the row of an outline that has the focus, as fast as one can type, and comes to its row. */
    async addStep(search: string): Promise<void> {
      const before = await page.locator('[role=treeitem]:focus').getAttribute('data-key')
      await page.keyboard.press('a')
      await page.getByLabel('What is to happen').waitFor()
      await page.keyboard.type(search)
      await page.keyboard.press('Enter')
      await page.locator(`[role=treeitem]:not([data-key="${before}"]):focus`).waitFor()
    },
    /** Opens the form of the row of an outline that has the focus, and comes into it. */
    async openForm(): Promise<void> {
      await page.keyboard.press('Enter')
      await page.locator('[data-step-form] :focus').waitFor()
    },
  }
}
