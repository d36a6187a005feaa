import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
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
  const tags = ['Newsletter', 'Berlin office']
  await world.site('POST', '/contacts', { email: 'between@example.com', subjectId: 'user-7', tags })
  const { page, close } = await world.open(`/app/default/broadcasts/${id}?tab=recipients`, { width: BETWEEN })
  const facts = [
    [`broadcasts/${id}?tab=recipients`, 'reader1@example.com', 'Reason', 'Unsubscribed from broadcasts'],
    ['tokens', 'Between', 'Last used', 'Never'],
    ['domains', 'a-longer-name.between.example', 'Checked', 'Not yet'],
    ['broadcasts', 'November news', 'When', /./],
    ['contacts?search=between', 'between@example.com', 'Tags', 'Berlin office'],
  ] as const
  for (const [path, name, head, fact] of facts) {
    await page.goto(`/app/default/${path}`)
    const row = page.getByRole('row').filter({ hasText: name })
    await row.locator(`[data-head="${head}"]`).filter({ hasText: fact, visible: true }).waitFor()
    await settled(page)
    assert.deepEqual(await page.evaluate(BROKEN), [], path)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), BETWEEN, path)
  }
  // Of those that were sent, the people are in the line of the other facts, their bar beside the number.
  const people = page.getByRole('cell').filter({ hasText: '40' }).and(page.locator('[data-head=People]'))
  await page.goto('/app/default/broadcasts')
  await people.waitFor()
  assert.ok((await people.boundingBox())!.height < 30)
  // With the room of a desk they are columns again.
  await page.setViewportSize({ width: 1_280, height: 900 })
  await page.locator('main table:not([data-folded])').waitFor()
  await close()
})

test('a list that is folded is put in order by its heads, and chosen whole by its box', { skip }, async () => {
  for (const email of ['a-first@example.com', 'zz-last@example.com']) await world.site('POST', '/contacts', { email })
  const { page, close } = await world.open('/app/default/contacts?sort=-id', { width: BETWEEN })
  await page.locator('main table[data-folded]').waitFor()
  const first = page.locator('tbody tr').first()
  await first.filter({ hasText: 'zz-last@example.com' }).waitFor()
  await page.getByRole('columnheader', { name: 'Contact', exact: true }).getByRole('button').click()
  await page.locator('th[aria-sort=ascending]').filter({ hasText: 'Contact' }).waitFor()
  await first.filter({ hasText: 'a-first@example.com' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select this page' }).check()
  await first.getByRole('checkbox', { checked: true }).waitFor()
  await close()
})

test('the parts of a rule stand beside one another where there is room for them', { skip }, async () => {
  const definition = JSON.stringify({ rules: [{ field: 'email', operator: 'endsWith', value: '@example.com' }] })
  const { json } = await world.site('POST', '/segments', { name: 'Beside', definition })
  const { page, close } = await world.open(`/app/default/segments/${json.id}`)
  const remove = page.getByRole('button', { name: 'Remove rule 1' })
  const parts = page.locator('div:has(> button)').filter({ has: remove }).last().locator('> *')
  for (const width of [BETWEEN, 1_100, 1_152, 1_280]) {
    await page.setViewportSize({ width, height: 900 })
    await remove.waitFor()
    await settled(page)
    const middle = (box: { y: number; height: number } | null) => Math.round(box!.y + box!.height / 2)
    const lines = await Promise.all((await parts.all()).map(async (part) => middle(await part.boundingBox())))
    assert.ok(lines.length >= 3 && Math.max(...lines) - Math.min(...lines) <= 2, `at ${width} px: ${lines}`)
  }
  await close()
})

test('on a phone the decision about an approval comes behind what is decided, and a link leads there', {
  skip,
}, async () => {
  const { page, close } = await world.open(`/app/default/approvals/${await askedToActivate(world)}`, { width: 360 })
  await settled(page)
  await page.getByText('Its own integration, or the one that is the default when a mail goes').waitFor()
  const parts = page.locator('main section[aria-label]')
  const names = await parts.evaluateAll((all) => all.map((part) => part.getAttribute('aria-label')))
  assert.deepEqual([names[0], names.at(-1)], ['What would come into force', 'Your decision'])
  const turnDown = page.getByRole('button', { name: 'Turn it down' })
  await page.getByRole('link', { name: 'To your decision' }).click()
  await eventually('the decision is seen', async () => {
    const box = (await turnDown.boundingBox())!
    return box.y >= 0 && box.y + box.height <= page.viewportSize()!.height
  })
  await page.setViewportSize({ width: 1_280, height: 900 })
  await page.getByRole('link', { name: 'To your decision' }).waitFor({ state: 'hidden' })
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
