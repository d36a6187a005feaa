import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/*
 * Two people at one mail: who cannot save sees that where they write, and sees what the other one has changed.
 */

const skip = WITHOUT_BROWSER
const BODY = `<mjml><mj-body><mj-section><mj-column>${'<mj-text>Words</mj-text>'.repeat(20)}
<mj-text><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text></mj-column></mj-section></mj-body></mjml>`

/** Whether the button is where one sees it, and nothing lies over it. */
const IN_SIGHT = `(() => {
  const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Keep mine')
  const { top, left, width, height } = button.getBoundingClientRect()
  return button.contains(document.elementFromPoint(left + width / 2, top + height / 2))
})()`

let world: World
before(async () => {
  if (skip) return
  world = await openWorld()
})
after(() => world?.close())

for (const [what, path] of [
  ['broadcast', '/broadcasts'],
  ['template', '/templates'],
] as const) {
  test(`a ${what} that somebody else changes says so in sight, and keeps their words beside one’s own`, {
    skip,
  }, async () => {
    const { id } = (await world.site('POST', path, { name: 'News', subject: 'Ours', body: BODY })).json
    for (const width of [1_280, 390]) {
      const { page, close } = await world.open(`/app/default${path}/${id}`, { width })
      await settled(page)
      if (what === 'broadcast' && width === 390) await page.getByRole('button', { name: 'Content' }).click()
      await page.getByRole('list', { name: 'Blocks of the mail' }).getByText('Words').last().click()
      const words = page.getByRole('textbox', { name: 'Text', exact: true })
      await words.waitFor()
      const subject = `Theirs at ${width}`
      await world.site('PATCH', `${path}/${id}`, { subject })
      await words.click()
      await page.keyboard.type(`written at ${width} `)
      const keep = page.getByRole('button', { name: 'Keep mine' })
      await keep.waitFor()
      const isInSight = await page.evaluate<boolean>(IN_SIGHT)
      assert.ok(isInSight, `at ${width}`)
      await keep.click()
      await keep.waitFor({ state: 'detached' })
      await eventually('both are saved', async () => {
        const { json } = await world.site('GET', `${path}/${id}`)
        return json.subject === subject && json.body.includes(`written at ${width} `)
      })
      assert.equal(await page.getByLabel('Subject').inputValue(), subject)
      await close()
    }
  })
}

test('words that were not saved are of whoever wrote them, and not of who logs in next in the same browser', {
  skip,
}, async () => {
  const { id } = (await world.site('POST', '/templates', { name: 'Shared', subject: 'Theirs', body: BODY })).json
  const path = `/app/default/templates/${id}`
  const { page, context, close } = await world.open(path)
  await context.route(`**/templates/${id}`, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
  )
  await settled(page)
  await page.getByLabel('Subject').fill('Mine alone')
  await page.getByText('Not saved').first().waitFor()
  // The page stays: one that is left sends what it has behind everybody's back.
  const { origin } = new URL(page.url())
  const seenBy = async (cookie: string) => {
    const [name = '', value = ''] = cookie.split('=', 2)
    await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }])
    const next = await context.newPage()
    await next.goto(path)
    await settled(next)
    return await next.getByLabel('Subject').inputValue()
  }
  assert.equal(await seenBy((await world.people.person('Next', 'member')).cookie), 'Theirs')
  assert.equal(await seenBy(world.cookie), 'Mine alone')
  await close()
})
