import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

const skip = WITHOUT_BROWSER

let world: World
before(async () => {
  if (skip) return
  world = await openWorld()
})
after(() => world?.close())

const [PHONE, DESK] = [
  { width: 360, height: 800 },
  { width: 1_280, height: 800 },
]
/** Of words beside which there is room for nothing else. */
const READ_PX = 200

const byButton = (page: Page) => page.getByRole('button', { name: 'Change', exact: true }).click()
const byMenu = async (page: Page) => {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Change', exact: true }).click()
}

/** What is changed by a form of several fields: where it is made, the field that is typed into, and what comes into it. */
const FORMS = [
  {
    what: 'integration',
    path: '/integrations',
    made: { name: 'Relay', config: { kind: 'smtp', host: '127.0.0.1', port: 25, from: 'news@mail.example.test' } },
    label: 'Name of this integration',
    field: 'name',
    values: ['Mine', 'Theirs', 'Theirs again'],
  },
  {
    what: 'form',
    path: '/forms',
    made: { name: 'Letter', consentWording: 'Once a month.' },
    label: 'Name',
    field: 'name',
    values: ['Mine', 'Theirs', 'Theirs again'],
  },
  {
    what: 'tracker',
    path: '/trackers',
    made: { name: 'Shop', allowedOrigins: ['https://shop.example'] },
    begin: byButton,
    label: 'Name',
    field: 'name',
    values: ['Mine', 'Theirs', 'Theirs again'],
  },
  {
    what: 'endpoint',
    path: '/webhooks',
    made: { url: 'http://127.0.0.1:8099/hook' },
    begin: byMenu,
    label: 'Address',
    field: 'url',
    values: ['http://127.0.0.1:8099/mine', 'http://127.0.0.1:8099/theirs', 'http://127.0.0.1:8099/again'],
  },
]

for (const { what, path, made, begin, label, field, values } of FORMS) {
  test(`what somebody else changed in ${what === 'integration' || what === 'endpoint' ? 'an' : 'a'} ${what} is not lost under what was typed`, {
    skip,
  }, async () => {
    const { json } = await world.site('POST', path, made)
    const one = `${path}/${json.id}`
    const [mine = '', ...theirs] = values
    const { page, close } = await world.open(`/app/default${one}`)
    await settled(page)
    await begin?.(page)
    const input = page.getByLabel(label, { exact: true })
    const meet = async (value: string) => {
      await input.fill(mine)
      await world.site('PATCH', one, { [field]: value })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      const told = page.getByText(`Somebody else has changed this ${what} since you opened it`)
      await told.waitFor()
      await page.setViewportSize(PHONE)
      await eventually('it can be read on a phone', async () => (await told.boundingBox())!.width > READ_PX)
      await page.setViewportSize(DESK)
      assert.equal(await input.inputValue(), mine)
    }
    await meet(theirs[0]!)
    await page.getByRole('button', { name: 'Take theirs' }).press('Enter')
    await page.locator('main h1:focus, [role=dialog]:focus').waitFor()
    assert.equal(await input.inputValue(), theirs[0])
    await meet(theirs[1]!)
    assert.equal((await world.site('GET', one)).json[field], theirs[1])
    await page.getByRole('button', { name: 'Save mine over it' }).click()
    await eventually('mine is saved', async () => (await world.site('GET', one)).json[field] === mine)
    await close()
  })
}
