import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WITHOUT_BROWSER } from './chromium.ts'
import { askedToActivate } from './rows/approvals.ts'
import { sentBroadcast } from './rows/broadcasts.ts'
import { openWorld, settled, type World } from './world.ts'

/* Lists and steps as they are told where a page has the room of a tablet, or of half a window. */

const skip = WITHOUT_BROWSER
const BETWEEN = 901
/** Words of tables that stand in two lines, and heads that are cut. */
const BROKEN = `[...document.querySelectorAll('main table')].flatMap((table) => {
  const heads = table.dataset.folded ? [] : [...table.querySelectorAll('th')]
  const cut = heads.filter((head) => head.scrollWidth > head.clientWidth + 1)
  const found = cut.map((head) => head.textContent)
  const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/[a-z]{2,20}/gi)) {
      const range = new Range()
      range.setStart(texts.currentNode, index)
      range.setEnd(texts.currentNode, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word)
    }
  }
  return found
})`
let world: World

before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('lists between a phone and a desk break no word and cut no head, and leave nothing out', { skip }, async () => {
  const id = await sentBroadcast(world)
  await world.site('POST', '/tokens', { name: 'Between', scopes: ['broadcasts:send', 'automations:read'] })
  await world.site('POST', '/sending-domains', { domain: 'a-longer-name.between.example' })
  const { page, close } = await world.open(`/app/default/broadcasts/${id}?tab=recipients`, { width: BETWEEN })
  const facts = [
    [`broadcasts/${id}?tab=recipients`, 'reader1@example.com', 'Reason', 'Unsubscribed from broadcasts'],
    ['tokens', 'Between', 'Last used', 'Never'],
    ['domains', 'a-longer-name.between.example', 'Checked', 'Not yet'],
    ['broadcasts', 'November news', 'When', /./],
  ] as const
  for (const [path, name, head, fact] of facts) {
    await page.goto(`/app/default/${path}`)
    const row = page.getByRole('row').filter({ hasText: name })
    await row.locator(`[data-head="${head}"]`).filter({ hasText: fact, visible: true }).waitFor()
    await settled(page)
    assert.deepEqual(await page.evaluate(BROKEN), [], path)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), BETWEEN, path)
  }
  // With the room of a desk they are columns again.
  await page.setViewportSize({ width: 1_280, height: 900 })
  await page.locator('main table:not([data-folded])').waitFor()
  await close()
})

test('who is to approve an automation sees where each of its ways ends', { skip }, async () => {
  const { page, close } = await world.open(`/app/default/approvals/${await askedToActivate(world)}`)
  await settled(page)
  const steps = page.getByRole('region', { name: 'Its steps' }).getByRole('listitem')
  await steps.first().waitFor()
  assert.deepEqual(await steps.allInnerTexts(), [
    'Wait 2 hours',
    'Wait until order.placed, 1 day at most',
    'order.placed',
    'Ends here',
    'Nothing within 1 day',
    'Mail Your cart waits',
    'Ends here',
  ])
  await close()
})
